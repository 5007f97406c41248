package citation

import (
	"regexp"
	"slices"
	"strconv"

	"github.com/qedkit/qed/figures"
)

// statedYear matches a year alone after a word that says that it is one.
var statedYear = regexp.MustCompile(`(?i)\b(?:in|since|until|till|by|before|after|during|year|im Jahre?|Jahr|seit|bis|ab|vor|nach|early|late|mid|end of|beginning of|Anfang|Mitte|Ende)\s+(1[5-9]\d\d|20\d\d)\b(?:[ ,;:!?)]|\.(?:\s|$)|$)`)

// statedSpan matches 2019–2021.
var statedSpan = regexp.MustCompile(`\b(1[5-9]\d\d|20\d\d) ?[-–] ?(1[5-9]\d\d|20\d\d)\b`)

// statedYears returns the years that a sentence states, as they stand in it.
func statedYears(sentence string) (all []string) {
	for _, m := range statedYear.FindAllStringSubmatch(sentence, -1) {
		all = append(all, m[1])
	}
	for _, m := range statedSpan.FindAllStringSubmatch(sentence, -1) {
		if m[1] < m[2] {
			all = append(all, m[1], m[2])
		}
	}
	return all
}

// years are the years of a source.
type years struct {
	all   []int
	spans [][2]int // 2019 to 2021
	vague bool     // the source has no years, or some in a form that is not read
}

var (
	wholeYear = regexp.MustCompile(`(?:^|\D)(1[5-9]\d\d|20\d\d)(?:\D|$)`)
	yearSpan  = regexp.MustCompile(`(1[5-9]\d\d|20\d\d)\D{1,12}(1[5-9]\d\d|20\d\d)`)

	// vagueYear matches years of two digits, and words from which a reader computes a year.
	vagueYear = regexp.MustCompile(`(?i)['’]\d\d\b|\d\d ?[/–-] ?\d\d\b|\b\d\d\.\d\d\.\d\d\b|\bFY ?\d\d\b|\b\d+0(?:s|er)\b|` +
		`\b(?:twen|thir|for|fif|six|seven|eigh|nine)ties\b|century|jahrhundert|` +
		`\b(?:years?|decades?|jahren?|jahrzehnte?n?|months?|monate?n?)\s+(?:later|earlier|ago|before|after|old|später|früher|zuvor|danach)\b|` +
		`\b(?:last|previous|next|following|this|after|before|within|vor|nach|seit|vorjahr|folgejahr|letzte[ns]?|nächste[ns]?)\s(?:\w+\s)?(?:years?|jahre?n?)\b|\bvorjahr|\bfolgejahr`)
)

func yearsOf(text string) (y years) {
	for _, m := range wholeYear.FindAllStringSubmatch(text, -1) {
		n, _ := strconv.Atoi(m[1])
		y.all = append(y.all, n)
	}
	slices.Sort(y.all)
	y.all = slices.Compact(y.all)
	if y.vague = len(y.all) == 0 || vagueYear.MatchString(text); y.vague {
		return y
	}
	for _, m := range yearSpan.FindAllStringSubmatch(text, -1) {
		from, _ := strconv.Atoi(m[1])
		to, _ := strconv.Atoi(m[2])
		y.spans = append(y.spans, [2]int{from, to})
	}
	return y
}

// mayHaveYear reports whether a sentence may state the year. A source without a year of
// its own says nothing against one. What looks like a year can also be an amount.
func (c *facts) mayHaveYear(year string) bool {
	n, _ := strconv.Atoi(year)
	return c.years.vague || slices.Contains(c.years.all, n) ||
		slices.ContainsFunc(c.years.spans, func(s [2]int) bool { return s[0] <= n && n <= s[1] }) ||
		len(c.numbers.Missing(year+" kg", figures.PointDecimal)) == 0
}
