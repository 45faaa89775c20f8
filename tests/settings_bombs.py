"""Settings files that are small on disk and large at work, or only odd, as users or others may hand them over."""

MANY = 15_000

TOML_BOMBS = {
    "nested arrays": "steps = " + "[" * MANY + "]" * MANY,
    "nested tables": "steps = " + "{a=" * 5000 + "1" + "}" * 5000,
    "dotted key": ".".join("a" * MANY) + " = 1",
    "dotted table": "[" + ".".join("a" * MANY) + "]",
    "quoted dotted key": ".".join(['"a"'] * MANY) + " = 1",
    "spaced dotted key": " . ".join("a" * MANY) + " = 1",
    "many dotted tables": "\n".join(f"[{'.'.join('a' * 15)}.b{index}]" for index in range(1500)),
    "huge integer": "steps = " + "9" * MANY,
    "huge hexadecimal integer": "steps = 0x" + "f" * MANY,
    "huge layer": "[network]\nhidden = [0x" + "f" * MANY + "]",
    "huge float": "steps = 1e999999999",
    "deep network": "[network]\nhidden = [" + "8192, " * 100 + "]",
    "endless network": "[network]\nhidden = [" + "1, " * 20_000 + "]",
    "endless rollout": "cars = 1000000\n[ppo]\nn_steps = 1000000000",
    "endless buffer": 'algorithm = "sac"\n[sac]\nbuffer_size = 1000000000',
    "long key": "a" * MANY + " = 1",
    "long value": 'algorithm = "' + "a" * MANY + '"',
    "too large": "# " + "x" * (1 << 21),
    "binary": "\0\x01\x02",
}
JSON_BOMBS = {
    "nested lists": "[" * MANY + "]" * MANY,
    "nested objects": '{"a":' * MANY + "1" + "}" * MANY,
    "shallow nest": '{"weights": ' + "[" * 900 + "]" * 900 + "}",
    "huge integer": '{"weights": {"progress": ' + "9" * MANY + "}}",
    "large integer": '{"weights": {"progress": ' + "9" * 4000 + "}}",
    "huge float": '{"weights": {"progress": 1e999999999}}',
    "huge weight": '{"weights": {"progress": 1e308, "distanceBonus": 1e308}}',
    "not a number": '{"weights": {"progress": NaN}}',
    "long key": '{"' + "a" * MANY + '": 1}',
    "half a surrogate": '{"weights": "\\ud800"}',
    "not JSON": "weights",
}
