package citation

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/qedkit/qed/figures"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/numeral"
)

// A counted is a number with the noun behind it, such as "five months" and "the second
// chapter".
type counted struct {
	value   float64
	ordinal bool
	noun    string // its stem
	unit    unit
	text    string
}

// A unit measures a dimension, such as time. Its size is that in seconds, bytes, grams or
// millimetres, and a mere number for a currency.
type unit struct {
	dimension string
	size      float64
}

// same reports whether two units have the same size, or nearly: kB and KiB.
func (u unit) same(v unit) bool {
	return u.dimension != "" && u.dimension == v.dimension && 0.9 < u.size/v.size && u.size/v.size < 1.1
}

// sameThing reports whether two numbers count the same thing. Units of time have the same
// length in both languages.
func (c *counted) sameThing(d counted) bool {
	return c.ordinal == d.ordinal && (c.noun == d.noun || c.unit.same(d.unit))
}

// near returns whether amounts are equal to c in their units, or nearly.
func (c *counted) near(slack float64) func(counted) bool {
	return func(d counted) bool {
		ratio := d.value * d.unit.size / (c.value * c.unit.size)
		return !d.ordinal && d.unit.dimension == c.unit.dimension && math.Abs(ratio-1) < slack
	}
}

// inWords returns the numbers of a text that stand in words before a noun, and the
// ordinals in digits. Package figures reads the other numbers.
func inWords(text string) (all []counted) {
	for _, n := range numeral.Find(text) {
		if m := nounBehind.FindStringSubmatch(text[n.End:]); m != nil {
			all = append(all, newCounted(float64(n.Value), n.Ordinal, m[1], text[n.Begin:n.End]+m[0]))
		}
	}
	for _, m := range digitOrdinal.FindAllStringSubmatch(text, -1) {
		all = append(all, newCounted(count(m[1]), true, m[2], m[0]))
	}
	return all
}

// inDigits returns the numbers of a text that stand in digits next to a noun.
func inDigits(text string) (all []counted) {
	for _, m := range digitsBefore.FindAllStringSubmatch(text, -1) {
		if value, ok := decimalValue(m[1]); ok {
			all = append(all, newCounted(value, false, m[2], m[0]))
		}
	}
	for _, m := range digitsBehind.FindAllStringSubmatch(text, -1) {
		all = append(all, newCounted(count(m[2]), true, m[1], m[0]))
	}
	return all
}

// decimalValue returns the value of digits with at most one point or comma, unless that may
// separate thousands.
func decimalValue(digits string) (float64, bool) {
	if i := strings.IndexAny(digits, ".,"); 0 < i && i < 4 && len(digits)-i == 4 {
		return 0, false
	}
	value, err := strconv.ParseFloat(strings.Replace(digits, ",", ".", 1), 64)
	return value, err == nil
}

func newCounted(value float64, ordinal bool, noun, text string) counted {
	c := counted{value: value, ordinal: ordinal, noun: stem(noun), text: text}
	c.unit = units[c.noun]
	return c
}

var (
	nounBehind   = regexp.MustCompile(`^[\s\x{a0}-]?(\pL+)`)
	digitOrdinal = regexp.MustCompile(`\b(\d{1,3})(?:st|nd|rd|th|\.)[ -](\pL+)`)
	digitsBefore = regexp.MustCompile(`\b(\d+(?:[.,]\d+)?)\)?[\s\x{a0}-]?(\pL+)`) // five (5) years
	amounts      = regexp.MustCompile(`\d+(?:[.,]\d+)*`)
	digitsBehind = regexp.MustCompile(`\b(\pL+) (\d{1,3})\b`)
)

// A statement is a sentence with the numbers of things in it.
type statement struct {
	words   map[string]bool // stems of its longer words
	counted []counted
	open    bool // it adds things that it does not count
}

func newStatement(text string) statement {
	st := statement{words: map[string]bool{}, counted: append(inWords(text), inDigits(text)...), open: adding.MatchString(text)}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if len(word) > 3 {
			st.words[stem(word)] = true
		}
	}
	return st
}

// adding matches words for things that are not counted.
var adding = regexp.MustCompile(`(?i)\b(?:an?other|others?|also|additional|further|new|plus|besides|well|too|weitere?[nrs]?|andere?[nrs]?|auch|noch|sowie|` +
	`zusätzlich\w*|neben|neue?[nrs]?)\b`)

// says reports whether a sentence repeats the statement: at least three in four of its
// longer words are those of the statement, without the thing that is counted.
func (st *statement) says(sentence statement, noun string) bool {
	all, both := 0, 0
	for word := range sentence.words {
		if word != noun {
			all++
			if st.words[word] {
				both++
			}
		}
	}
	return both >= 3 && both*4 >= all*3
}

// contradicts reports whether a source states another number of the same thing. Words such
// as "two" and "second" also count what a sentence itself lists. They state a number before a
// unit, before a thing that is called by its number, and in a sentence that repeats one of the
// source.
func (c *counted) contradicts(s *facts, within statement) bool {
	others := func(all []counted) bool {
		return slices.ContainsFunc(all, func(d counted) bool { return c.sameThing(d) && c.value != d.value })
	}
	switch {
	case others(within.counted) || c.value <= 1 && !c.ordinal:
		return false
	case c.ordinal && (c.isTime() && c.unit.size > 1 || numberedThings[c.noun]), // a second is a unit
		!c.ordinal && (c.unit.dimension != "" || measures[c.noun]):
		return others(s.counted)
	}
	return len(s.counted) <= maxPaired && slices.ContainsFunc(s.statements, func(st statement) bool {
		return !st.open && others(st.counted) && st.says(within, c.noun)
	})
}

func (c *counted) isTime() bool { return c.unit.dimension == "time" }

// mayBe reports whether a reader can find or compute the number in a source.
func (c *counted) mayBe(s *facts) bool {
	if len(s.numbers.Missing(strconv.FormatFloat(c.value, 'f', -1, 64)+" kg", figures.PointDecimal)) == 0 {
		return true
	}
	if c.ordinal {
		switch {
		case c.isTime():
			return len(s.dates.all) > 0 || len(s.years.all) > 1
		case strings.HasPrefix(c.noun, "centur") || strings.HasPrefix(c.noun, "jahrhundert"):
			return slices.ContainsFunc(s.years.all, func(y int) bool { return float64((y+99)/100) == c.value })
		}
		return false
	}
	return c.follows(s)
}

// follows reports whether a reader can compute the number from others of a source.
func (c *counted) follows(s *facts) bool {
	return max(len(s.counted), len(s.years.all), len(s.times)) > maxPaired || c.isTime() && s.periods || c.isSpan(s) || c.isComputed(s)
}

// hasOtherUnit reports whether a source has the number only with other units of the same
// dimension: 3 months, and not 3 weeks.
func (c *counted) hasOtherUnit(s *facts) bool {
	others := 0
	for _, has := range s.counted {
		switch {
		case has.ordinal || has.value != c.value:
		case has.unit.same(c.unit):
			return false
		case has.unit.dimension == c.unit.dimension:
			others++
		}
	}
	return others > 0 && others == s.values[c.value] && !c.follows(s)
}

// maxPaired is the number of numbers up to which each pair is looked at.
const maxPaired = 100

// isSpan reports whether the times of a source may be that far apart.
func (c *counted) isSpan(s *facts) bool {
	if c.unit.dimension == "money" {
		return false
	}
	for i, y := range s.years.all {
		for _, other := range s.years.all[:i] {
			if math.Abs(math.Abs(float64(y-other))-c.value) <= 1 && c.unit.same(units["year"]) {
				return true
			}
		}
	}
	return slices.ContainsFunc(s.counted, c.near(0.05)) || // 14 days are two weeks
		c.isTime() && (s.days > 1 || len(s.times) > 1 && c.unit.size <= units["hour"].size)
}

// isComputed reports whether the number is a sum or a difference of numbers that count the
// same thing, or a product with such a number.
func (c *counted) isComputed(s *facts) bool {
	for i, a := range s.counted {
		for _, b := range s.counted[:i] {
			both, one := c.sameThing(a) && c.sameThing(b), c.sameThing(a) || c.sameThing(b)
			if both && (a.value+b.value == c.value || math.Abs(a.value-b.value) == c.value) || one && a.value*b.value == c.value {
				return true
			}
		}
	}
	return false
}

// vaguePeriod matches words from which a reader computes how long something takes.
var vaguePeriod = regexp.MustCompile(`(?i)\b(?:half|halves|halb|decade|centur|fortnight|annual|yearly|quarterly|monthly|weekly|daily|` +
	`jahrzehnt|jahrhundert|anderthalb|einhalb|viertel|jährlich|monatlich|wöchentlich|täglich)`)

// units are the units of measure by the stems of their names.
var units = func() map[string]unit {
	all := map[string]unit{}
	for dimension, sizes := range map[string]map[float64]string{
		"time": {
			1e-9: "ns nanosecond", 1e-6: "µs microsecond", 1e-3: "ms millisecond Millisekunde", 1: "second Sekunde sekündig",
			60: "min minute Minute minütig", 3600: "h hr Std hour Stunde stündig", 86400: "day Tag tägig", 7 * 86400: "week Woche wöchig",
			30.44 * 86400: "month Monat monatig", 91.31 * 86400: "quarter Quartal", 365.25 * 86400: "year Jahr jährig",
		},
		"data":   {1: "byte", 1e3: "kb kib kilobyte", 1e6: "mb mib megabyte", 1e9: "gb gib gigabyte", 1e12: "tb tib terabyte"},
		"mass":   {1e-3: "mg milligram", 1: "g gram Gramm", 1e3: "kg kilogram Kilogramm", 1e6: "t ton tonne"},
		"length": {1: "mm", 10: "cm", 1e3: "m metre meter", 1e6: "km kilometre kilometer", 1609344: "mile Meile", 25.4: "inch", 305: "feet"},
		"volume": {1: "ml milliliter millilitre", 10: "cl", 1e3: "l liter litre"},
		"energy": {1: "wh", 1e3: "kwh", 1e6: "mwh", 1e9: "gwh"},
		"power":  {1: "w watt", 1e3: "kw kilowatt", 1e6: "mw megawatt", 1e9: "gw gigawatt"},
		"speed":  {1e3: "kbit kbps", 1e6: "mbit mbps", 1e9: "gbit gbps"},
		"money":  {1: "euro eur", 2: "dollar usd", 4: "gbp", 8: "franken chf", 16: "jpy"},
	} {
		for size, names := range sizes {
			for name := range strings.FieldsSeq(names) {
				all[stem(name)] = unit{dimension, size}
			}
		}
	}
	return all
}()

var (
	// measures are units of which only the name is compared.
	measures = stems(`percent prozent cent pound degree grad bit volt ampere`)

	// numberedThings are called by their numbers.
	numberedThings = stems(`chapter section century centuries edition floor storey volume clause article paragraph generation
		amendment semester grade season anniversary line row column place rank kapitel abschnitt jahrhundert auflage etage
		stock stockwerk band klausel artikel absatz klasse staffel jubiläum zeile spalte platz rang satz`)
)

func stems(words string) map[string]bool { return lists.Set(strings.Fields(words), stem) }
