package citation

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/qedkit/qed/figures"
)

// statedYear matches a year alone after a word that says that it is one.
var statedYear = regexp.MustCompile(`(?i)\b(?:in|since|until|till|by|before|after|during|year|im Jahre?|Jahr|seit|bis|ab|vor|nach|early|late|mid|end of|beginning of|Anfang|Mitte|Ende)\s+(1[5-9]\d\d|20\d\d)\b(?:[ ,;:!?)]|\.(?:\s|$)|$)`)

// years are the years of a source.
type years struct {
	all   []int
	spans [][2]int // 2019 to 2021
	vague bool     // the source has years in a form that is not read
}

var (
	wholeYear = regexp.MustCompile(`(?:^|\D)(1[5-9]\d\d|20\d\d)(?:\D|$)`)
	yearSpan  = regexp.MustCompile(`(1[5-9]\d\d|20\d\d)\D{1,12}(1[5-9]\d\d|20\d\d)`)

	// vagueYear matches years of two digits, and words from which a reader computes a year.
	vagueYear = regexp.MustCompile(`(?i)['’/–-]\d\d\b|\b\d\d\.\d\d\.\d\d\b|\bFY ?\d\d\b|\b\d+0(?:s|er)\b|ties\b|century|jahrhundert|` +
		`\b(?:years?|decades?|jahren?|jahrzehnte?n?|months?|monate?n?)\s+(?:later|earlier|ago|before|after|old|später|früher|zuvor|danach)\b|` +
		`\b(?:last|previous|next|following|this|after|before|within|vor|nach|seit|vorjahr|folgejahr|letzte[ns]?|nächste[ns]?)\s(?:\w+\s)?(?:years?|jahre?n?)\b|\bvorjahr|\bfolgejahr`)
)

func yearsOf(text string) (y years) {
	y.vague = vagueYear.MatchString(text)
	for _, m := range wholeYear.FindAllStringSubmatch(text, -1) {
		n, _ := strconv.Atoi(m[1])
		y.all = append(y.all, n)
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
func (c *checked) mayHaveYear(year string) bool {
	n, _ := strconv.Atoi(year)
	return c.years.vague || len(c.years.all) == 0 || slices.Contains(c.years.all, n) ||
		slices.ContainsFunc(c.years.spans, func(s [2]int) bool { return s[0] <= n && n <= s[1] }) ||
		len(c.numbers.Missing(year+" kg", figures.PointDecimal)) == 0
}

var (
	// statedVersion matches versions and numbers of sections: v1.5, version 2.0 and 4.2.1.
	statedVersion = regexp.MustCompile(`(?i)\bv(?:ersion )?\d+(?:\.(?:\d+|x))+\b|\b\d+(?:\.(?:\d+|x)){2,}\b`)

	// dotted matches what may be a version in a source.
	dotted = regexp.MustCompile(`\d+(?:\.(?:\d+|x))+`)
)

// mayHaveVersion reports whether a source with these dotted numbers may have a version, in
// full or in part. A source without any says nothing against one.
func mayHaveVersion(all []string, version string) bool {
	v := dotted.FindString(version)
	return len(all) == 0 || slices.ContainsFunc(all, func(has string) bool {
		return has == v || strings.HasPrefix(has, v+".") || strings.HasPrefix(v, has+".") || strings.HasSuffix(has, ".x") || strings.HasSuffix(v, ".x")
	})
}
