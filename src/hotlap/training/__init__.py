"""How it learns: configuration, one train(), presets, callbacks, signals."""
