"""Why we are slower or less exact, by task and peer; by task alone where one reason holds for all."""

CHECKS = "ours checks every entry and reads what a claim of exactly 0 or 1 means before it measures"
SORT = "a sort of all claims is most of it on every side; ours orders outcomes too, so that ties leave no trace"
POOLED = (
    "claims computed from logits that float32's rounding alone parts are one to us, by design: float32 and float64 "
    "give one map, which plain pooling of violators does not"
)
POOLS = "ours pools equal claims, which sorts them, then takes Newton's steps to the optimum"
CHOSEN = "the strengths of ours are chosen by evidence from the rows, theirs are fixed"
EXACT = "ours works in float64 and goes on to the optimum"
REASONS: dict[tuple[str, str], str] = {
    ("top_ece", ""): CHECKS + "; on two cores and a million rows it takes half ([speed](speed.md))",
    ("top_ece", "netcal"): CHECKS,
    ("top_ece", "mapie"): CHECKS,
    (
        "curve",
        "",
    ): "ours also makes two histograms and the distance of every claim from its bin, for the picture",
    ("adaptive", ""): SORT + "; " + CHECKS,
    ("brier", ""): CHECKS.replace(" and reads what a claim of exactly 0 or 1 means", ""),
    ("nll", ""): CHECKS.replace(" and reads what a claim of exactly 0 or 1 means", ""),
    ("ks", ""): SORT,
    ("kuiper", ""): SORT,
    ("smece", ""): "the peer's blurs log odds and is another number: far from the definition's",
    ("temperature", ""): EXACT,
    ("temperature", "netcal"): "the peer stops where it starts, at a temperature of 1",
    ("vector", ""): EXACT,
    ("structured", ""): CHOSEN,
    ("isotonic_rest", ""): POOLED,
    ("isotonic", ""): "a sort of all claims is most of it on every side",
    (
        "bbq",
        "",
    ): "ours are the binnings and the prior of Naeini et al. 2015; probcal's are 2 to 50 bins, 1/2 in each",
    (
        "bbq",
        "netcal",
    ): "ours are the binnings and the prior of Naeini et al. 2015; netcal scores binnings by BIC",
    ("broken_line", ""): "ours takes log loss, theirs squared error: either may land nearer",
    (
        "kernel",
        "",
    ): "both take the bandwidth of the largest likelihood, each from widths of its own; not looked into",
    ("platt", ""): POOLS,
    ("beta", ""): POOLS,
}
