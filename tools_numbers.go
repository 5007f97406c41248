package qed

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/qedkit/qed/internal/prompt"
)

// A numberSet has the numbers that stand in some data, so that it can be told of a text whether its numbers do. Nil takes none.
type numberSet struct {
	exact    map[string]bool // as number.String has them, without signs
	below    map[string]bool // the negative ones
	sizes    []float64       // of all, without signs; sorted once ready
	negative []float64       // likewise
	ready    bool
}

func newNumberSet() *numberSet { return &numberSet{exact: map[string]bool{}, below: map[string]bool{}} }

// A number is one reading of a number in a text, without its sign.
type number struct {
	whole, fraction string // digits, without zeros that say nothing
	decimals        int    // how many digits of the fraction are written
	digits          int    // how many significant ones are
}

func newNumber(whole, fraction string) number {
	n := number{whole: strings.TrimLeft(whole, "0"), fraction: strings.TrimRight(fraction, "0"), decimals: len(fraction)}
	n.digits = len(strings.TrimLeft(n.whole+fraction, "0"))
	return n
}

func (n number) String() string { return n.whole + "." + n.fraction }

func (n number) value() float64 {
	v, _ := strconv.ParseFloat("0"+n.whole+"."+n.fraction+"0", 64) // of digits alone; what is too large is infinite
	return v
}

func (s *numberSet) add(n number, negative bool) {
	if s == nil {
		return
	}
	s.exact[n.String()] = true
	s.sizes = append(s.sizes, n.value())
	if negative {
		s.below[n.String()] = true
		s.negative = append(s.negative, n.value())
	}
	s.ready = false
}

func (s *numberSet) addInt(n int) { s.add(newNumber(strconv.Itoa(max(n, 0)), ""), false) }

// plainNumber returns a number in the form of Go or JSON without an exponent. One that is too large stays as it is.
func plainNumber(text string) string {
	if strings.ContainsAny(text, "eE") {
		if f, err := strconv.ParseFloat(text, 64); err == nil {
			return strconv.FormatFloat(f, 'f', -1, 64)
		}
	}
	return text
}

// addNumber adds a number in the form of Go or JSON.
func (s *numberSet) addNumber(text string) {
	if text = plainNumber(text); strings.ContainsAny(text, "eE") {
		return
	}
	unsigned := strings.TrimPrefix(text, "-")
	whole, fraction, _ := strings.Cut(unsigned, ".")
	s.add(newNumber(whole, fraction), unsigned != text)
}

// addText adds the numbers in a text, however they can be read.
func (s *numberSet) addText(text string) {
	if s == nil {
		return
	}
	for _, w := range writtenNumbers(text) {
		for _, reading := range w.readings {
			for _, n := range reading {
				s.add(n, w.negative)
			}
		}
		for _, part := range w.parts {
			s.add(newNumber(part, ""), false)
		}
	}
}

func (s *numberSet) addCells(cells []any, longest int) {
	if s == nil {
		return
	}
	for _, cell := range cells {
		switch cell := cell.(type) {
		case string:
			s.addText(prompt.Clip(cell, longest))
		case int64, float64:
			s.addNumber(cellText(cell))
		}
	}
}

// addJSON adds the numbers in a JSON value, those in its texts and names too.
func (s *numberSet) addJSON(raw json.RawMessage) {
	if s == nil {
		return
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	for {
		token, err := d.Token()
		if err != nil {
			return
		}
		switch token := token.(type) {
		case json.Number:
			s.addNumber(token.String())
		case string:
			s.addText(token)
		}
	}
}

// strangers returns the numbers of a text, as they are written, that do not stand in the data: neither as they are, nor as what one of
// the data is rounded to, nor as a share in percent or so many thousands.
func (s *numberSet) strangers(text string) []string {
	if !s.ready {
		slices.Sort(s.sizes)
		slices.Sort(s.negative)
		s.ready = true
	}
	var strange []string
	for _, w := range writtenNumbers(text) {
		if !s.has(w) {
			strange = append(strange, w.text)
		}
	}
	return strange
}

func (s *numberSet) has(w written) bool {
	exact, sizes := s.exact, s.sizes
	if w.negative {
		exact, sizes = s.below, s.negative
	}
	for _, reading := range w.readings {
		if !slices.ContainsFunc(reading, func(n number) bool {
			return !exact[n.String()] && !slices.ContainsFunc(w.units, func(unit float64) bool { return rounded(n, unit, sizes) })
		}) {
			return true
		}
	}
	return false
}

const (
	surestDigits = 2  // a number with fewer is like too many others: it is none that was rounded
	floatDigits  = 15 // of a longer number a float64 does not have all
)

// rounded reports whether one of the sorted sizes, in a unit, is n when it is rounded to the decimals of n.
func rounded(n number, unit float64, sizes []float64) bool {
	if n.digits > floatDigits {
		return false
	}
	want := n.value() * unit
	off := math.Abs(want) * 1e-12
	if n.digits >= surestDigits {
		off += 0.5 * unit * math.Pow10(-n.decimals)
	}
	i, _ := slices.BinarySearch(sizes, want-off)
	return i < len(sizes) && sizes[i] <= want+off
}

// A written number is one as it stands in a text.
type written struct {
	text     string
	negative bool
	readings [][]number // what it can mean: several numbers where it is a date
	parts    []string   // its groups of digits
	units    []float64  // what it may be counted in: 1, and 0.01 where it is in percent
}

// writtenNumbers finds the numbers in a text, in the digits of any script. Number signs of their own, such as one half, have no reading.
func writtenNumbers(text string) []written {
	var all []written
	runes := []rune(text)
	for i := 0; i < len(runes); {
		if _, ok := digitOf(runes[i]); !ok {
			if unicode.In(runes[i], unicode.No, unicode.Nl) && !(i > 0 && unicode.IsLetter(runes[i-1])) { // m² is no number
				all = append(all, written{text: string(runes[i])})
			}
			i++
			continue
		}
		begin := i
		var separators []rune
		var w written
		for {
			var part []byte
			for ; i < len(runes); i++ {
				d, ok := digitOf(runes[i])
				if !ok {
					break
				}
				part = append(part, d)
			}
			w.parts = append(w.parts, string(part))
			if i+1 >= len(runes) || !isSeparator(runes[i]) {
				break
			}
			if _, ok := digitOf(runes[i+1]); !ok {
				break
			}
			separators = append(separators, runes[i])
			i++
		}
		if begin > 0 && (runes[begin-1] == '-' || runes[begin-1] == '\u2212') {
			w.negative = begin == 1 || !unicode.IsLetter(runes[begin-2]) && !unicode.IsDigit(runes[begin-2])
		}
		w.text = string(runes[begin:i])
		w.readings = readings(w.parts, separators)
		w.units = unitsOf(runes[i:])
		all = append(all, w)
	}
	return all
}

// digitOf returns a digit of any script as that of ASCII.
func digitOf(r rune) (byte, bool) {
	switch {
	case '0' <= r && r <= '9':
		return byte(r), true
	case r < 0x80 || !unicode.IsDigit(r):
		return 0, false
	}
	zero := r // the digits of a script stand in a row of ten, or of several tens
	for unicode.IsDigit(zero - 1) {
		zero--
	}
	return '0' + byte((r-zero)%10), true
}

func isSeparator(r rune) bool { return strings.ContainsRune(".,'\u2019\u00a0\u202f\u066b\u066c", r) }

func isPoint(r rune) bool { return r == '.' || r == ',' || r == '\u066b' }

// readings returns what groups of digits with separators between them can mean.
func readings(parts []string, separators []rune) [][]number {
	n := len(parts)
	if n == 1 {
		return [][]number{{newNumber(parts[0], "")}}
	}
	var all [][]number
	last := separators[n-2]
	same := !slices.ContainsFunc(separators, func(r rune) bool { return r != separators[0] })
	leading := !slices.ContainsFunc(separators[:n-2], func(r rune) bool { return r != separators[0] })
	if same && areThousands(parts) {
		all = append(all, []number{newNumber(strings.Join(parts, ""), "")})
	}
	if isPoint(last) && (n == 2 || leading && !same && areThousands(parts[:n-1])) {
		all = append(all, []number{newNumber(strings.Join(parts[:n-1], ""), parts[n-1])})
	}
	if all == nil { // such as a date
		each := make([]number, n)
		for i, part := range parts {
			each[i] = newNumber(part, "")
		}
		all = append(all, each)
	}
	return all
}

// areThousands reports whether the groups of digits are those of a large number, as in 1,234,567 or in 12,34,567.
func areThousands(parts []string) bool {
	for i, part := range parts {
		switch {
		case i == 0 && (len(part) > 3 || part[0] == '0'),
			i > 0 && i < len(parts)-1 && len(part) != 2 && len(part) != 3,
			i > 0 && i == len(parts)-1 && len(part) != 3:
			return false
		}
	}
	return true
}

// unitsOf returns what a number may be counted in, by the text behind it.
func unitsOf(behind []rune) []float64 {
	text := strings.ToLower(string(behind[:min(len(behind), 16)]))
	word := strings.TrimLeft(text, " \u00a0\u202f-")
	glued := word == text
	if end := strings.IndexFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && r != '%' && r != '\u066a' }); end >= 0 {
		word = word[:end]
	}
	switch strings.TrimSuffix(word, "s") {
	case "%", "\u066a", "percent", "per":
		return []float64{1, 0.01}
	case "thousand":
		return []float64{1, 1e3}
	case "million":
		return []float64{1, 1e6}
	case "billion":
		return []float64{1, 1e9}
	case "k":
		if glued {
			return []float64{1, 1e3}
		}
	case "m":
		if glued {
			return []float64{1, 1e6}
		}
	case "bn":
		return []float64{1, 1e9}
	}
	return []float64{1}
}
