"""Rows and classifiers of scikit-learn that tests share."""

import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.svm import LinearSVC

X2, Y2 = make_classification(300, flip_y=0.1, random_state=0)
X3, Y3 = make_classification(300, n_informative=5, n_classes=3, flip_y=0.1, random_state=0)
W = np.random.default_rng(0).integers(0, 4, 300).astype(float)
NAMES = np.array(["ant", "bee", "cat"])
SVM = LinearSVC(random_state=0)
FOREST = RandomForestClassifier(10, random_state=0)
