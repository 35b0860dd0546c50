"""What Gupta et al. 2021 print, in percent, digit by digit."""

# Tables 1, 2, 4, 6 and 5: uncalibrated, temperature, vector, MS-ODIR, Dir-ODIR, spline.
RESNET110_C10 = {
    "KS top-1 %": ("4.750", "0.916", "0.996", "0.977", "1.060", "0.643"),
    "KS top-2 %": ("3.011", "0.947", "0.948", "0.598", "0.953", "0.347"),
    "KS within-top-2 %": ("1.805", "0.097", "0.176", "0.140", "0.195", "0.277"),
    "ECE, 25 bins %": ("4.750", "1.224", "1.092", "1.276", "1.240", "1.011"),
    "accuracy %": ("93.56", "93.56", "93.50", "93.53", "93.52", "93.55"),
}
# Tables 1, 6 and 5: KS, ECE of 25 bins and accuracy of models as they are.
C100_UNCALIBRATED = {
    "top1_nncal_resnet110_c100": ("18.481", "18.480", "71.48"),
    "top1_nncal_densenet40_c100": ("21.156", "21.159", "70.00"),
}
# Table 7: uncalibrated, temperature, MS-ODIR, Dir-ODIR, spline.
IMAGENET_TABLE_7 = {
    "KDE-ECE, DenseNet-161": ("3.786", "1.501", "2.874", "2.979", "0.637"),
    "KDE-ECE, ResNet-152": ("4.650", "1.864", "3.448", "3.488", "0.847"),
    "MCE, DenseNet-161": ("13.123", "5.442", "9.077", "9.653", "6.289"),
    "MCE, ResNet-152": ("15.930", "9.051", "11.201", "9.868", "4.950"),
    "top-1 Brier score, DenseNet-161": ("12.172", "11.852", "11.982", "11.978", "11.734"),
    "top-1 Brier score, ResNet-152": ("12.626", "12.145", "12.406", "12.308", "12.034"),
}
