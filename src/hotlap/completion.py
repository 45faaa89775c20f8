"""The options of `hotlap completion`, and the scripts it prints: every verb, and every option of each."""

import contextlib
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from hotlap.cli import HOTLAP, VERBOSITY, Command, Group, run_command

OPTION = re.compile(r"--[a-z][a-z0-9.-]*")
BASH = """# bash completion of hotlap; put this into ~/.bashrc: eval "$(hotlap completion bash)"
_hotlap() {{
  local path="" word words
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do [[ $word == -* ]] || path+="${{path:+ }}$word"; done
  while true; do
    case "$path" in
{cases}
    esac
    [[ -n ${{words+x}} || -z $path ]] && break
    [[ $path == *" "* ]] && path="${{path% *}}" || path=""
  done
  [[ ${{COMP_WORDS[COMP_CWORD]}} == -* || $words != -* ]] || return 0
  COMPREPLY=($(compgen -W "$words" -- "${{COMP_WORDS[COMP_CWORD]}}"))
}}
complete -o default -F _hotlap hotlap
"""
ZSH = '# zsh completion of hotlap; put this into ~/.zshrc: eval "$(hotlap completion zsh)"\n'
FISH = "# fish completion of hotlap; put this into config.fish: hotlap completion fish | source\n"


@dataclass(frozen=True)
class Completion:
    """Print what teaches a shell to complete verbs and options: eval "$(hotlap completion bash)"."""

    shell: Literal["bash", "zsh", "fish"]
    """The shell that shall know them."""

    def run(self) -> None:
        """Print the script."""
        print(script(self.shell, words_by_path()))


def words_by_path() -> dict[str, list[str]]:
    """What may follow: the verbs of each group and the options of each command, by the words before."""
    return dict(_walk(HOTLAP, ""))


def _walk(command: Command | Group, path: str) -> Iterator[tuple[str, list[str]]]:
    if isinstance(command, Command):
        yield path, _options(command, path)
        return
    yield path, list(command.verbs)
    for name, verb in command.verbs.items():
        yield from _walk(verb, f"{path} {name}".strip())


def _options(command: Command, path: str) -> list[str]:
    """Every option that a command's help names."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.suppress(SystemExit):
        run_command(command, f"hotlap {path}", ["--help"])
    return sorted({*OPTION.findall(said.getvalue()), *(word for word in VERBOSITY if word.startswith("--"))})


def script(shell: str, words: Mapping[str, list[str]]) -> str:
    """The completion of a shell; zsh takes that of bash."""
    if shell == "fish":
        return FISH + "\n".join(_fish_lines(words))
    cases = "\n".join(f'      "{path}") words="{" ".join(known)}" ;;' for path, known in words.items())
    bash = BASH.format(cases=cases)
    return bash if shell == "bash" else f"{ZSH}autoload -U +X bashcompinit && bashcompinit\n{bash}"


def _fish_lines(words: Mapping[str, list[str]]) -> Iterator[str]:
    """One line for each group of verbs and each command; a path counts once all its words were typed."""
    for path, known in words.items():
        seen = " && ".join(f"__fish_seen_subcommand_from {word}" for word in path.split()) or "__fish_use_subcommand"
        yield f'complete -c hotlap -n "{seen}" -a "{" ".join(known)}"'
