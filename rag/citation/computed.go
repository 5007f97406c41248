package citation

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// A step is by how much something rose or fell, with what it counts: a noun or a currency.
type step struct {
	value float64
	noun  string
}

// is reports whether an amount counts the same and has the same value.
func (n step) is(value float64, noun string) bool {
	return math.Abs(n.value-value) <= 1e-9*math.Abs(value) && (n.noun == noun || units[noun].same(units[n.noun]))
}

// nounOf returns the currency next to a number, or the stem of the noun behind it.
func nounOf(text string, begin, end int) string {
	for sign, name := range map[string]string{"$": "dollar", "€": "euro", "£": "gbp"} {
		if strings.HasSuffix(strings.TrimRight(text[:begin], " "), sign) || strings.HasPrefix(strings.TrimLeft(text[end:], " "), sign) {
			return name
		}
	}
	if m := nounBehind.FindStringSubmatch(text[end:]); m != nil {
		return stem(m[1])
	}
	return ""
}

// rateOf returns what a match of rates, such as 20 per 1,000 and 1 in 5, is of one, times 1e10.
func rateOf(m []string) float64 {
	per, _ := strconv.ParseFloat(strings.NewReplacer(",", "", ".", "", " ", "").Replace(m[2]), 64)
	return math.Round(1e10 * decimal(m[1]) / per)
}

// compounds returns the amounts that have two units, such as 1 hour and 30 minutes, in the
// smaller unit.
func compounds(text string) (all []counted) {
	text = clockLength.ReplaceAllString(text, "$1 h $2 min")
	found := digitsBefore.FindAllStringSubmatchIndex(text, -1)
	for i := 1; i < len(found); i++ {
		a, b := found[i-1], found[i]
		large := newCounted(decimal(text[a[2]:a[3]]), false, text[a[4]:a[5]], "")
		both := newCounted(decimal(text[b[2]:b[3]]), false, text[b[4]:b[5]], text[a[0]:b[1]])
		if large.unit.dimension == both.unit.dimension && large.unit.size > both.unit.size && large.unit.dimension != "money" &&
			joining.MatchString(text[a[1]:b[0]]) {
			both.value += large.value * large.unit.size / both.unit.size
			all = append(all, both)
		}
	}
	return all
}

var (
	rates = regexp.MustCompile(`(?i)\b(` + digits + `) (?:(?:[\pL-]+ ){0,3}?(?:per|je|pro)|in|in every|out of|von) (\d{1,3}(?:[., ]?000)*)\b`)

	clockLength = regexp.MustCompile(`(?i)\b(\d{1,2}):([0-5]\d) ?(?:h|hrs?|hours|Std|Stunden)\b`)
	joining     = regexp.MustCompile(`^\.?,?(?: and| und)? ?$`)
)
