"""Rules of one's own bar: the questions that lead to them, their files, and their solutions."""
