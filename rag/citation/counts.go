package citation

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/qedkit/qed/figures"
	"github.com/qedkit/qed/internal/numeral"
)

// A counted is a number with the noun behind it, such as "five months" and "the second
// chapter".
type counted struct {
	value   float64
	ordinal bool
	noun    string  // its stem
	unit    float64 // of time, in seconds
	text    string
}

// sameThing reports whether two numbers count the same thing. Units of time have the same
// length in both languages.
func (c *counted) sameThing(d counted) bool {
	return c.ordinal == d.ordinal && (c.noun == d.noun || c.unit > 0 && c.unit == d.unit)
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
		if value, err := strconv.ParseFloat(strings.Replace(m[1], ",", ".", 1), 64); err == nil {
			all = append(all, newCounted(value, false, m[2], m[0]))
		}
	}
	for _, m := range digitsBehind.FindAllStringSubmatch(text, -1) {
		all = append(all, newCounted(count(m[2]), true, m[1], m[0]))
	}
	return all
}

func newCounted(value float64, ordinal bool, noun, text string) counted {
	c := counted{value: value, ordinal: ordinal, noun: stem(noun), text: text}
	c.unit = timeUnits[c.noun]
	return c
}

var (
	nounBehind   = regexp.MustCompile(`^[ -]?(\pL+)`)
	digitOrdinal = regexp.MustCompile(`\b(\d{1,3})(?:st|nd|rd|th|\.)[ -](\pL+)`)
	digitsBefore = regexp.MustCompile(`\b(\d+(?:[.,]\d+)?)[ -]?(\pL+)`)
	digitsBehind = regexp.MustCompile(`\b(\pL+) (\d{1,3})\b`)
)

// claims reports whether a sentence states the number, so that it can be wrong. Words such
// as "two" and "second" also count what the sentence itself lists. They state a number
// before a unit, and before a thing that is called by its number.
func (c *counted) claims() bool {
	if c.ordinal {
		return c.unit > 1 || numberedThings[c.noun] // a second is a unit
	}
	return c.value > 1 && (c.unit > 0 || measures[c.noun])
}

// contradicts reports whether a source states another number of the same thing.
func (c *counted) contradicts(s *checked) bool {
	return slices.ContainsFunc(s.counted, c.sameThing)
}

// mayBe reports whether a reader can find or compute the number in a source.
func (c *counted) mayBe(s *checked) bool {
	if len(s.numbers.Missing(strconv.FormatFloat(c.value, 'f', -1, 64)+" kg", figures.PointDecimal)) == 0 {
		return true
	}
	if c.ordinal {
		switch {
		case c.unit > 0:
			return len(s.dates.all) > 0
		case strings.HasPrefix(c.noun, "centur") || strings.HasPrefix(c.noun, "jahrhundert"):
			return slices.ContainsFunc(s.years.all, func(y int) bool { return float64((y+99)/100) == c.value })
		}
		return false
	}
	if max(len(s.counted), len(s.years.all), len(s.times)) > maxPaired {
		return true
	}
	return c.unit > 0 && (s.periods || c.isSpan(s)) || c.isComputed(s)
}

// maxPaired is the number of numbers up to which each pair is looked at.
const maxPaired = 500

// isSpan reports whether the times of a source may be that far apart.
func (c *counted) isSpan(s *checked) bool {
	for i, y := range s.years.all {
		for _, other := range s.years.all[:i] {
			if math.Abs(math.Abs(float64(y-other))-c.value) <= 1 && c.unit == timeUnits["year"] {
				return true
			}
		}
	}
	for _, other := range s.counted {
		if ratio := other.value * other.unit / (c.value * c.unit); 0.95 < ratio && ratio < 1.05 {
			return true // 14 days are two weeks
		}
	}
	return s.days > 1 || len(s.times) > 1 && c.unit <= timeUnits["hour"]
}

// isComputed reports whether the number is a sum or a difference of numbers that count the
// same thing, or a product with such a number.
func (c *counted) isComputed(s *checked) bool {
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

// timeUnits has the units of time, by the stems of their names, in seconds.
var timeUnits = func() map[string]float64 {
	all := map[string]float64{}
	for seconds, names := range map[float64]string{
		1: "second Sekunde sekündig", 60: "minute Minute minütig", 3600: "hour Stunde stündig", 86400: "day Tag tägig",
		7 * 86400: "week Woche wöchig", 30.44 * 86400: "month Monat monatig", 91.31 * 86400: "quarter Quartal",
		365.25 * 86400: "year Jahr jährig",
	} {
		for name := range strings.FieldsSeq(names) {
			all[stem(name)] = seconds
		}
	}
	return all
}()

var (
	// measures are units other than those of time.
	measures = stems(`percent prozent euro cent dollar pound franken metre meter kilometre kilometer centimetre mile inch inches foot
		feet kilogram kilogramm gram gramm tonne litre liter degree grad byte bit volt watt ampere`)

	// numberedThings are called by their numbers.
	numberedThings = stems(`chapter section century centuries edition floor storey volume clause article paragraph generation
		amendment semester grade season anniversary line row column place rank kapitel abschnitt jahrhundert auflage etage
		stock stockwerk band klausel artikel absatz klasse staffel jubiläum zeile spalte platz rang satz`)
)

func stems(words string) map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		all[stem(word)] = true
	}
	return all
}
