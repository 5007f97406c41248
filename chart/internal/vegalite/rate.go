package vegalite

import (
	"math"
	"strings"

	"github.com/qedkit/qed/internal/textmatch"
	"github.com/qedkit/qed/internal/wordset"
)

// Rate reports whether a column has averages or shares, by its name. Averages never add
// up, and shares do so only if they are parts of one whole.
func Rate(name string) (average, share bool) {
	share = strings.Contains(name, "%")
	for word := range strings.FieldsSeq(strings.ToLower(textmatch.Spaced(name))) {
		average = average || averageWords[word] || strings.HasSuffix(word, "quote") && word != "quote"
		share = share || shareWords[word] || strings.HasSuffix(word, "anteil")
	}
	return average, share
}

var (
	averageWords = wordset.Of("avg average mean median rate ratio durchschnitt durchschnittlich durchschnittliche " +
		"durchschnittlicher mittelwert mittlere mittlerer mittleres")
	shareWords = wordset.Of("share percent percentage pct prozent prozentsatz")
)

// Whole returns the largest sum that shares of one whole have, rounded: 1, or 100 if one
// of the numbers is larger.
func Whole(shares []float64) float64 {
	for _, v := range shares {
		if math.Abs(v) > 1.005 {
			return 100.5
		}
	}
	return 1.005
}
