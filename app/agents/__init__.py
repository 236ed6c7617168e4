"""The game for programs that play by text: over MCP, in a scored match, at Kaggle and TextArena."""
