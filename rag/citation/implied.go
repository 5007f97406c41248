package citation

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/qedkit/qed/internal/numeral"
)

// implied returns the numbers that a source states in other forms than digits and
// cardinal numbers: as ordinals, fractions, Roman numerals, words such as "twice", and
// versions whose first number stands for all of them.
func implied(text string) (all []float64) {
	for _, n := range numeral.Find(text) {
		if n.Ordinal {
			all = append(all, float64(n.Value))
		}
	}
	for _, m := range fractionWords.FindAllStringSubmatch(text, -1) {
		all = append(all, count(m[1])*fractionOf(m[2]))
	}
	for _, m := range slashes.FindAllStringSubmatch(text, -1) {
		if part, whole := count(m[1]), count(m[2]); 0 < part && part < whole {
			all = append(all, part/whole)
		}
	}
	for _, m := range halves.FindAllStringSubmatch(text, -1) {
		all = append(all, count(m[1]+m[2])+0.5)
	}
	for _, m := range numberWords.FindAllStringSubmatch(text, -1) {
		for i, values := range numberWordValues {
			if m[i+1] != "" {
				all = append(all, values...)
			}
		}
	}
	for _, roman := range romans.FindAllString(text, -1) {
		all = append(all, romanValue(roman))
	}
	for _, m := range majors.FindAllStringSubmatch(text, -1) {
		all = append(all, count(m[1]))
	}
	return all
}

// count returns the value of digits or of a number in words, and 1 for anything else.
func count(text string) float64 {
	if n, err := strconv.Atoi(text); err == nil {
		return float64(n)
	}
	if found := numeral.Find(text); len(found) == 1 && !found[0].Ordinal {
		return float64(found[0].Value)
	}
	return 1
}

// fractionOf returns the value of a word such as "third" or "Viertel".
func fractionOf(word string) float64 {
	word = strings.ToLower(word)
	for i, beginnings := range [][]string{
		{"hal", "hälf"}, {"thir", "drit"}, {"quar", "four", "vier"}, {"fif", "fünf"}, {"six", "sech"},
		{"sev", "sieb"}, {"eig", "acht"}, {"nin", "neun"}, {"ten", "zehn"},
	} {
		for _, b := range beginnings {
			if strings.HasPrefix(word, b) {
				return 1 / float64(i+2)
			}
		}
	}
	return 1
}

// numberWordValues are the values of the groups of numberWords.
var numberWordValues = [][]float64{{0}, {1}, {2, 1}, {3, 2}, {12}, {10}, {100}, {14, 2}, {6}, {3}, {1.5}}

var (
	numberWords = regexp.MustCompile(`(?i)\b(?:(no|none|nil|kein(?:e[nrms]?)?)|(once|single|einmal(?:ig\w*)?)|` +
		`(twice|both|pairs?|couple|double[ds]?|doubling|beide[nrs]?|Paar|doppelt\w*|verdoppelt\w*)|` +
		`(thrice|tripled?|dreifach\w*|verdreifacht\w*)|(dozens?|Dutzend)|(decades?|Jahrzehnte?n?)|(century|centuries|Jahrhunderte?[ns]?)|` +
		`(fortnight\w*)|(half a year|half[ -]year\w*|halbe[ns]? Jahre?s?|Halbjahre?s?|halbjähr\w*)|` +
		`(quarter(?:ly)?|Quartale?[ns]?|Vierteljahre?s?|vierteljähr\w*)|(anderthalb))`)

	fractionWords = regexp.MustCompile(`(?i)(?:(\d+|\pL+)[ -])?\b(half|halves|halbe?[nrsm]?|Hälften?|` +
		`(?:thir|four|fif|six|seven|eigh|nin|ten)(?:d|th)s?|quarters?|(?:drit|vier|fünf|sechs|sieb|ach|neun|zehn)tel[ns]?)`)
	slashes = regexp.MustCompile(`\b(\d{1,2}) ?[/⁄] ?(\d{1,2})\b`)
	halves  = regexp.MustCompile(`(?i)(\d+|\pL+) and a half\b|\b(\pL+)einhalb`)

	romans = regexp.MustCompile(`\b[IVXL]+\b`)

	// majors match a name with a version, such as Python 3.11.
	majors = regexp.MustCompile(`\b\p{Lu}\pL*\p{Ll}\pL*[ -]v?(\d+)\.\d`)
)

func romanValue(roman string) (value float64) {
	digits := map[byte]float64{'I': 1, 'V': 5, 'X': 10, 'L': 50}
	for i := range roman {
		v := digits[roman[i]]
		if i+1 < len(roman) && digits[roman[i+1]] > v {
			v = -v
		}
		value += v
	}
	return value
}

// articles returns the first letters of the two words after each article of a source: "a
// month" and "eine kurze Frist" state the number 1 of these things.
func articles(text string) map[string]bool {
	all := map[string]bool{}
	for _, m := range article.FindAllStringSubmatch(text, -1) {
		all[stem(m[1])], all[stem(m[2])] = true, true
	}
	return all
}

var (
	article = regexp.MustCompile(`(?i)\b(?:an?|every|each|per|pro|eine?[nrms]?|jede[nrms]?)[ -]\(?(\pL+)(?:[ -](\pL+))?`)
	oneOf   = regexp.MustCompile(`\b1[ -](\pL+)`)
)

// stem returns a noun in lower case without the ending of its plural or its case.
func stem(noun string) string {
	noun = strings.ToLower(noun)
	if short := strings.TrimRight(noun, "ens"); len(short) > 1 {
		return short
	}
	return noun
}
