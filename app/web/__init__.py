"""The page that `zhaifei web` serves."""
