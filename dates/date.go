package dates

import (
	"strings"
)

// date reads a day with its month and year.
func (f *finder) date(i int) (s span, n int) {
	dayOf := func(i int) int {
		w := f.word(i)
		for _, ending := range []string{"st", "nd", "rd", "th"} {
			w = strings.TrimSuffix(w, ending)
		}
		if d, ok := number(w); ok && len(w) <= 2 && d >= 1 && d <= 31 {
			return d
		}
		return 0
	}
	d, at := dayOf(i), i+1
	m := months[f.word(at)]
	if d > 0 && f.next(at) == "of" {
		at++
		m = months[f.word(at)]
	}
	y, ok := f.year(at + 1)
	if d == 0 {
		m, d = months[f.word(i)], dayOf(i+1)
		y, ok = f.year(i + 2)
		at = i + 1
	}
	if d == 0 || m == 0 || !ok {
		return s, 0
	}
	for k := i + 1; k <= at+1; k++ {
		if f.words[k].glue == 0 || f.words[k].glue == '/' {
			return s, 0
		}
	}
	from := date(y, m, d)
	if from.Day() != d {
		return s, 0 // there is no such day
	}
	return f.unitFrom(day, from), at + 2 - i
}
