package resolve

import (
	"strings"
	"testing"

	"github.com/qedkit/qed/internal/textmatch"
)

func TestSplitIdentifier(t *testing.T) {
	for in, want := range map[string]string{
		"arrivalDate": "arrival date", "ARRIVAL_DATE": "arrival date", "shipment.arrival-date": "shipment arrival date", "HTTPServerID": "http server id",
		"delay_hours2": "delay hours2", "eta": "eta", "vesselIMO": "vessel imo",
	} {
		if got := strings.Join((nameStyle{identifiers: true}).split(in), " "); got != want {
			t.Errorf("the words of %q are %q, want %q", in, got, want)
		}
	}
}

func TestRoman(t *testing.T) {
	for w, want := range map[string]bool{
		"i": true, "iv": true, "vii": true, "viiii": true, "xiv": true, "mcmxcix": true, "mix": true, "": false, "civil": false, "mild": false, "vx": false, "iiiii": false, "viia": false,
	} {
		if got := isRoman(w); got != want {
			t.Errorf("%q is a Roman numeral: %v", w, got)
		}
	}
}

func TestTypo(t *testing.T) {
	for _, tt := range []struct {
		typed, right string
		want         bool
	}{
		{"miamii", "miami", true}, {"rotterdma", "rotterdam", true}, {"globexx", "globex", true}, {"rottterdam", "rotterdam", true}, {"hambrug", "hamburg", true},
		{"brain", "brian", false}, {"miami", "miamii", false}, {"anderson", "andersson", false}, {"hoffmann", "hoffman", false}, {"homburg", "hamburg", false},
		{"ahmburg", "hamburg", false}, {"rotterdan", "rotterdam", false}, {"rotterdm", "rotterdam", false}, {"rotterdam", "rotterdam", false}, {"", "", false},
	} {
		if got := isTypo([]rune(tt.typed), []rune(tt.right)); got != tt.want {
			t.Errorf("%s for %s is a typing error: %v", tt.typed, tt.right, got)
		}
	}
}

// FuzzStem checks that every word of a folded text has a stem.
func FuzzStem(f *testing.F) {
	for _, s := range []string{"ports", "classes", "arriving", "U.S.A.", "ﬁ ½ Ⅷ", "हिन्दी", "한국", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, w := range strings.Fields(textmatch.Fold(s)) {
			if stem(w) == "" || plural(w) == "" {
				t.Errorf("%q has no stem", w)
			}
		}
	})
}
