package esquery

import (
	"strconv"
	"strings"
)

// dateReader reads a date by a format, as java.time does: what is optional is read
// where it is there, and never given back, so that a date costs as much as it is long.
type dateReader struct {
	text             string
	at               int
	year, month, day int
	known            bool // the year is
}

// matches reports whether text is a date of that format.
func (f *dateFormat) matches(text string) (dateReader, bool) {
	r := dateReader{text: text, month: 1, day: 1}
	if f.epoch != "" {
		return r, isEpoch(text)
	}
	if !r.all(f.parts) || r.at < len(text) || r.day > daysIn(r.year, r.month, r.known) {
		return r, false
	}
	return r, true
}

// isEpoch reports whether text is a number of milliseconds or seconds.
func isEpoch(text string) bool {
	whole, fraction, point := strings.Cut(strings.TrimPrefix(text, "-"), ".")
	return isDigits(whole) && len(whole) <= 19 && (!point || isDigits(fraction) && len(fraction) <= 9)
}

func isDigits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

func daysIn(year, month int, known bool) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if !known || year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

func (r *dateReader) all(parts []datePart) bool {
	for i := range parts {
		p := &parts[i]
		if p.letter == '[' {
			before := *r
			if !r.all(p.optional) {
				*r = before
			}
			continue
		}
		if !r.part(p, parts[i+1:]) {
			return false
		}
	}
	return true
}

func (r *dateReader) part(p *datePart, rest []datePart) bool {
	switch p.letter {
	case 0:
		if !strings.HasPrefix(r.text[r.at:], p.literal) {
			return false
		}
		r.at += len(p.literal)
		return true
	case 'f', 'p', 'q':
		return r.fraction(p.letter)
	case 'o':
		return r.offset("Z|+hh:mm:ss|+hh:mm|+hhmm|+hh") || r.region()
	case 'X':
		return r.offset([...]string{"Z|+hhmm|+hh", "Z|+hhmm", "Z|+hh:mm"}[p.min-1])
	case 'x':
		return r.offset([...]string{"+hhmm|+hh", "+hhmm", "+hh:mm"}[p.min-1])
	case 'Z':
		return r.offset("+hhmm")
	case 'a':
		return r.word([]string{"AM", "PM"}) >= 0
	case 'E':
		return r.name(p)
	}
	return r.number(p, rest)
}

// fraction reads that of a second, with its mark.
func (r *dateReader) fraction(letter byte) bool {
	if r.at == len(r.text) || r.text[r.at] != '.' && (r.text[r.at] != ',' || letter != 'f') {
		return false
	}
	r.at++
	most := 9
	if letter == 'q' {
		most = 3
	}
	_, ok := r.digits(1, most)
	return ok
}

// region reads the name of one, which is all that follows.
func (r *dateReader) region() bool {
	rest := r.text[r.at:]
	if rest == "" || rest[0] == '+' || rest[0] == '-' || !isTimeZone(rest) {
		return false
	}
	r.at = len(r.text)
	return true
}

// number reads a number and keeps it where a date is made of it. rest tells how many
// digits belong to what follows without a mark between.
func (r *dateReader) number(p *datePart, rest []datePart) bool {
	signed := p.letter == 'u' && p.max > 2 && r.at < len(r.text) && r.text[r.at] == '-'
	if signed {
		r.at++
	}
	most := p.max
	if p.min < p.max {
		if follow := adjacent(rest); follow > 0 {
			most = max(p.min, min(p.max, r.run()-follow))
		}
	}
	n, ok := r.digits(p.min, most)
	if !ok {
		return false
	}
	switch p.letter {
	case 'u', 'y':
		if p.max == 2 {
			n += 2000
		}
		if signed {
			n = -n
		}
		r.year, r.known = n, true
	case 'M', 'L':
		r.month = n
		return n >= 1 && n <= 12
	case 'd':
		r.day = n
		return n >= 1 && n <= 31
	case 'H':
		return n <= 23
	case 'k':
		return n >= 1 && n <= 24
	case 'K':
		return n <= 11
	case 'h':
		return n >= 1 && n <= 12
	case 'm', 's':
		return n <= 59
	}
	return true
}

// adjacent is how many digits follow at once, of parts of one width.
func adjacent(rest []datePart) int {
	n := 0
	for i := range rest {
		if rest[i].min != rest[i].max || strings.IndexByte("uyMLdHhkKmsS", rest[i].letter) < 0 || rest[i].letter == 0 {
			break
		}
		n += rest[i].min
	}
	return n
}

// run is how many digits follow in the text.
func (r *dateReader) run() int {
	n := 0
	for r.at+n < len(r.text) && r.text[r.at+n] >= '0' && r.text[r.at+n] <= '9' {
		n++
	}
	return n
}

func (r *dateReader) digits(least, most int) (int, bool) {
	n := min(r.run(), most)
	if n < least {
		return 0, false
	}
	number, err := strconv.Atoi(r.text[r.at : r.at+n])
	r.at += n
	return number, err == nil
}

// offset reads Z or an offset from UTC in one of the forms, the longest first.
func (r *dateReader) offset(forms string) bool {
	rest := r.text[r.at:]
	for form := range strings.SplitSeq(forms, "|") {
		if n := len(form); n <= len(rest) && fitsForm(rest[:n], form) {
			r.at += n
			return true
		}
	}
	return false
}

func fitsForm(s, form string) bool {
	for i := range len(form) {
		switch form[i] {
		case '+':
			if s[i] != '+' && s[i] != '-' {
				return false
			}
		case 'h', 'm', 's':
			if s[i] < '0' || s[i] > '9' {
				return false
			}
		default:
			if s[i] != form[i] {
				return false
			}
		}
	}
	if form[0] != '+' {
		return true
	}
	hours := s[1:3]
	return hours < "18" || hours == "18" && strings.Trim(s[3:], ":0") == ""
}

// word reads one of words and returns its index; -1: there is none.
func (r *dateReader) word(words []string) int {
	best := -1
	for i, w := range words {
		if strings.HasPrefix(r.text[r.at:], w) && (best < 0 || len(w) > len(words[best])) {
			best = i
		}
	}
	if best >= 0 {
		r.at += len(words[best])
	}
	return best
}

var (
	months = []string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}
	days   = []string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}
)

// name reads that of a month or of a day of the week, in full or three letters.
func (r *dateReader) name(p *datePart) bool {
	names := months
	if p.literal == "E" {
		names = days
	}
	for i, name := range names {
		if p.min < 4 {
			name = name[:3]
		}
		if strings.HasPrefix(r.text[r.at:], name) {
			r.at += len(name)
			if p.literal != "E" {
				r.month = i + 1
				if name == "Sep" && strings.HasPrefix(r.text[r.at:], "t") {
					r.at++ // as newer locale data has it
				}
			}
			return true
		}
	}
	return false
}
