package numeric

// The rules of outliers. Package stats names their sources.
const (
	MinOutlierValues = 8   // so that each quartile has two values
	MaxScore         = 3.5 // of a value that is no outlier
	fenceRanges      = 1.5
)

// Fences returns the values beyond which a value is an outlier by its distance
// from the quartiles. If the quartiles are equal no value is.
func Fences(q1, q3 float64) (low, high float64) {
	return Finite(q1 - fenceRanges*(q3-q1)), Finite(q3 + fenceRanges*(q3-q1))
}

// ScoreUnit returns the distance from the median that has a score of 1. mad is the
// median absolute deviation and mean the mean absolute deviation.
func ScoreUnit(mad, mean float64) float64 {
	if mad == 0 {
		return 1.253314 * mean
	}
	return mad / 0.6745
}
