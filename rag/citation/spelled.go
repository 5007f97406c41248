package citation

import (
	"cmp"
	"regexp"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/qedkit/qed/figures"
)

// spelled returns a text with fractions as decimals, in the style of the text, and raised
// digits after a caret: 2½ and 2 1/2 are 2.5, and 10⁶ is 10^6.
func spelled(text string, style figures.Style) string {
	point := "."
	if style == figures.CommaDecimal {
		point = ","
	}
	text = signs.ReplaceAllStringFunc(text, func(found string) string {
		whole, part := found, ""
		for sign := range decimals {
			if rest, ok := strings.CutSuffix(found, sign); ok {
				whole, part = strings.TrimSpace(rest), decimals[sign]
			}
		}
		whole = cmp.Or(whole, "0")
		return whole + point + part
	})
	return raised.ReplaceAllStringFunc(text, caret)
}

// decimals are the fractions that end.
var decimals = map[string]string{
	"½": "5", "¼": "25", "¾": "75", "⅕": "2", "⅖": "4", "⅗": "6", "⅘": "8", "⅛": "125", "⅜": "375", "⅝": "625", "⅞": "875",
	" 1/2": "5", " 1/4": "25", " 3/4": "75",
}

var (
	signs  = regexp.MustCompile(`\b\d+ (?:1/2|1/4|3/4)\b|(?:\b\d+ ?)?[½¼¾⅕⅖⅗⅘⅛⅜⅝⅞]`)
	raised = regexp.MustCompile(`\d[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+`)
)

// unnoted returns a text without what can be marks of notes behind numbers: 45^12 can be 45
// with the note 12, unless it is a power of ten or two.
func unnoted(text string) string {
	return marked.ReplaceAllStringFunc(text, func(found string) string {
		base, _, _ := strings.Cut(found, "^")
		if base == "10" || base == "2" {
			return found
		}
		return base
	})
}

var marked = regexp.MustCompile(`\d+(?:[.,]\d+)*\^\d{1,3}(?:,\d{1,3})*\b`)

// caret returns a digit with the raised digits after it.
func caret(found string) string { return found[:1] + "^" + norm.NFKC.String(found[1:]) }
