"""calibrant within the tools of a team; each module imports the package it is named after."""
