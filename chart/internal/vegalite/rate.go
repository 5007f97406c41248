package vegalite

import (
	"iter"
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

// MoreThanWhole returns the largest sum of the shares of one whole, and whether it is more than a
// whole: 1, or 100 if one of the shares is larger than 1. Both are rounded.
func MoreThanWhole[K comparable](shares iter.Seq2[K, float64]) (sum float64, more bool) {
	total, whole := map[K]float64{}, 1.005
	for key, v := range shares {
		total[key] += v
		if math.Abs(v) > 1.005 {
			whole = 100.5
		}
	}
	for _, of := range total {
		sum = max(sum, of)
	}
	return sum, sum > whole
}
