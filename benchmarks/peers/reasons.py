"""Why we are slower or less exact, by task and peer; by task alone where one reason holds for all."""

REASONS: dict[tuple[str, str], str] = {}
