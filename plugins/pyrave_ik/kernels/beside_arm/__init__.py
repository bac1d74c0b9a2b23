"""Arms of which every cut of the loop is singular."""
