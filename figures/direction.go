package figures

import (
	"strings"
	"unicode"

	"github.com/qedkit/qed/internal/wordset"
)

// Words of a clause that say in which direction a number goes. With words of both kinds
// nothing is known.
var (
	rising = wordset.Of(`
		grew grow grows growing grown growth rose rise rises rising risen increase increased increases increasing
		gained gain gains climbed climbs surplus wuchs wuchsen wachsen gewachsen wächst wachstum stieg stiegen steigt
		steigen gestiegen anstieg zunahme zugenommen zuwachs erhöht erhöhte überschuss`)
	falling = wordset.Of(`
		fell fall falls falling fallen drop dropped drops dropping decline declined declines declining decrease decreased
		decreases decreasing down lost lose loses loss losses lower less shrank shrink shrinks shrunk minus negative
		reduced reduction reduce reduces slowed slower slows contraction contracted weaker worse not no never instead
		without deficit sank sanken sinkt sinken gesunken rückgang gefallen fiel fielen fällt fallen abnahme abgenommen
		verlust verluste verlor weniger niedriger geringer negativ negatives negativer negative gesenkt schrumpfte
		geschrumpft kein keine nicht statt rückläufig rückläufige einbruch defizit`)
)

// signOf returns which amounts n can be by its sign and by the words of its clause, of
// which before and behind are the text around it.
func signOf(n *Number, before, behind string) sign {
	switch {
	case n.Negative:
		return minus
	case strings.HasSuffix(before, "–"): // a minus sign, or a dash
		return anySign
	}
	if cut := len(before) - near; cut > 0 { // without the rest of a word
		before = strings.TrimLeftFunc(before[cut:], unicode.IsLetter)
	}
	if len(behind) > near {
		behind = strings.TrimRightFunc(behind[:near], unicode.IsLetter)
	}
	if i := strings.LastIndexAny(before, ".;!?"); i >= 0 {
		before = before[i:]
	}
	for i := 0; i < len(behind); i++ {
		if end := behind[i]; end == '\n' || strings.IndexByte(".;!?", end) >= 0 && !isDigit(behind, i+1) {
			behind = behind[:i]
		}
	}
	up := false
	for word := range strings.FieldsFuncSeq(before+" "+behind, func(r rune) bool { return !unicode.IsLetter(r) }) {
		word = strings.ToLower(word)
		if falling[word] {
			return anySign
		}
		up = up || rising[word]
	}
	if up {
		return plus
	}
	return anySign
}

var superlatives = wordset.Of(`
	largest biggest smallest highest lowest best worst most least oldest newest latest fastest slowest longest
	shortest strongest weakest busiest cheapest besten letzten ersten meisten`)

// isSuperlative reports whether a word says which things a number counts off: the 3
// largest, die 10 größten.
func isSuperlative(word string) bool {
	return superlatives[word] || word == strings.ToLower(word) && len(word) > len("kosten") &&
		(strings.HasSuffix(word, "sten") || strings.HasSuffix(word, "ßten"))
}
