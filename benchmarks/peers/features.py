"""What each library has: names looked up in the installed packages, a line a feature."""

from .match import Library

# package.module:name.name, with the argument that makes the difference in brackets.
FEATURES: dict[str, dict[str, str]] = {
    "binned ECE": {
        "calibrant": "calibrant:ece",
        "mapie": "mapie.metrics.calibration:expected_calibration_error",
        "mcgrad": "mcgrad.metrics:expected_calibration_error",
        "netcal": "netcal.metrics:ECE",
        "probcal": "probcal.metrics:ece",
        "probmetrics": "probmetrics.metrics:CalibrationError",
        "relplot": "relplot.metrics:binnedECE",
        "torch-uncertainty": "torch_uncertainty.metrics.classification:CalibrationError",
        "torchmetrics": "torchmetrics.functional.classification:multiclass_calibration_error",
        "uncertainty-calibration": "calibration:get_ece",
    },
    "class-wise ECE": {
        "calibrant": "calibrant:classwise_ece",
        "mapie": "mapie.metrics.calibration:expected_calibration_error(classwise)",
        "torch-uncertainty": "torch_uncertainty.metrics.classification:ClasswiseCalibrationError",
        "uncertainty-calibration": "calibration:get_ece(mode)",
    },
    "smooth ECE": {
        "calibrant": "calibrant:smece",
        "probcal": "probcal.metrics:smooth_ece",
        "probmetrics": "probmetrics.metrics:SmoothCalibrationError",
        "relplot": "relplot:smECE",
        "torch-uncertainty": "torch_uncertainty.metrics.classification:SmoothCalibrationError",
    },
    "KS or Kuiper": {
        "calibrant": "calibrant:ks_error",
        "mapie": "mapie.metrics.calibration:kolmogorov_smirnov_statistic",
        "mcgrad": "mcgrad.metrics:ecce",
        "probcal": "probcal.metrics:ecce",
        "probmetrics": "probmetrics.metrics:KolmogorovSmirnovCalibrationMetric",
    },
    "debiased error": {
        "calibrant": "calibrant:ece(debias)",
        "probcal": "probcal.metrics:ece_debiased",
        "uncertainty-calibration": "calibration:get_calibration_error(debias)",
    },
    "interval of an error": {
        "calibrant": "calibrant:interval",
        "probcal": "probcal.metrics:evaluate(n_boot)",
        "uncertainty-calibration": "calibration:get_calibration_error_uncertainties",
    },
    "test of calibration": {
        "calibrant": "calibrant:calibration_test",
        "mapie": "mapie.metrics.calibration:spiegelhalter_p_value",
        "mcgrad": "mcgrad.metrics:ecce_pvalue",
        "probcal": "probcal.metrics:calibration_test",
    },
    "weights in measures": {
        "calibrant": "calibrant:binary(weights)",
        "mcgrad": "mcgrad.metrics:expected_calibration_error(sample_weight)",
        "probcal": "probcal.metrics:ece(sample_weight)",
        "scikit-learn": "sklearn.metrics:brier_score_loss(sample_weight)",
    },
    "weights in fits": {
        "betacal": "betacal:BetaCalibration.fit(sample_weight)",
        "calibrant": "calibrant:binary(weights)",
        "mapie": "mapie.calibration:TopLabelCalibrator.fit(sample_weight)",
        "mcgrad": "mcgrad.methods:MCGrad.fit(weight_column_name)",
        "probcal": "probcal:BetaCalibrator.fit(sample_weight)",
        "pwlf": "pwlf:PiecewiseLinFit(weights)",
        "scikit-learn": "sklearn.calibration:CalibratedClassifierCV.fit(sample_weight)",
    },
    "temperature": {
        "calibrant": "calibrant:Temperature",
        "netcal": "netcal.scaling:TemperatureScaling",
        "probcal": "probcal:TemperatureCalibrator",
        "probmetrics": "probmetrics.calibrators:TemperatureScalingCalibrator",
        "scikit-learn": "sklearn.calibration:_TemperatureScaling",
        "torch-uncertainty": "torch_uncertainty.post_processing:TemperatureScaler",
    },
    "a matrix of logits": {
        "calibrant": "calibrant:StructuredMatrix",
        "dirichletcal": "dirichletcal:FullDirichletCalibrator",
        "probmetrics": "probmetrics.calibrators:SMSCalibrator",
        "torch-uncertainty": "torch_uncertainty.post_processing:MatrixScaler",
    },
    "isotonic": {
        "calibrant": "calibrant:Isotonic",
        "netcal": "netcal.binning:IsotonicRegression",
        "probcal": "probcal:IsotonicCalibrator",
        "scikit-learn": "sklearn.isotonic:IsotonicRegression",
        "torch-uncertainty": "torch_uncertainty.post_processing:IsotonicRegressionScaler",
    },
    "Venn-Abers": {
        "calibrant": "calibrant:VennAbers",
        "mapie": "mapie.calibration:VennAbersCalibrator",
        "probcal": "probcal:VennAbersCalibrator",
        "probmetrics": "probmetrics.calibrators:VennAbersCalibrator",
        "venn-abers": "venn_abers:VennAbersCalibrator",
    },
    "splines": {
        "calibrant": "calibrant:Spline",
        "probcal": "probcal:SplineCalibrator",
        "probmetrics": "probmetrics.calibrators:CDFSplineCalibrator",
        "splinecalib": "splinecalib:SplineCalib",
    },
    "reliability diagram": {
        "calibrant": "calibrant.plots:reliability",
        "netcal": "netcal.presentation:ReliabilityDiagram",
        "probcal": "probcal:reliability_binned",
        "relplot": "relplot:rel_diagram",
        "scikit-learn": "sklearn.calibration:CalibrationDisplay",
    },
    "choice among calibrators": {
        "calibrant": "calibrant:select",
        "probcal": "probcal:CalibratorSelector",
    },
    "a map as ONNX or SQL": {
        "calibrant": "calibrant:Map.to_onnx",
    },
    "conformal sets": {
        "mapie": "mapie.classification:SplitConformalClassifier",
        "torch-uncertainty": "torch_uncertainty.post_processing:ConformalClsTHR",
    },
    "regression": {
        "mapie": "mapie.regression:SplitConformalRegressor",
        "mcgrad": "mcgrad.methods:RegressionMCGrad",
        "netcal": "netcal.regression:IsotonicRegression",
        "venn-abers": "venn_abers:VennAbersRegressor",
    },
    "many groups at once": {
        "calibrant": "calibrant:ByGroup",
        "mcgrad": "mcgrad.methods:MCGrad",
        "probcal": "probcal:SegmentedCalibrator",
    },
}


def features(libraries: list[Library]) -> dict[str, object]:
    """Which of the names are there."""
    rows: dict[str, list[str]] = {name: [] for name in FEATURES}
    for library in libraries:
        names = {
            feature: has[library.name] for feature, has in FEATURES.items() if library.name in has
        }
        there = library.ask("has", *names.values())["there"]
        found = dict(zip(names, there, strict=True))
        for feature, cells in rows.items():
            cells.append("x" if found.get(feature) else "")
    return {"libraries": [library.name for library in libraries], "rows": rows}
