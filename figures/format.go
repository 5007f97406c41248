package figures

import (
	"math/big"
	"strconv"
	"strings"
)

// A Language is how values are written in a text.
type Language string

const (
	English Language = "en" // 1,234.5 and 23 March 2026
	German  Language = "de" // 1.234,5 and 23. März 2026
)

// LanguageOf returns the language of the first text that shows one, and
// [English] if none does. Languages that write numbers as German does, and
// that are not German, are treated as German.
func LanguageOf(texts ...string) Language {
	if StyleOf(texts...) == CommaDecimal {
		return German
	}
	return English
}

func (l Language) style() Style {
	if l == German {
		return CommaDecimal
	}
	return PointDecimal
}

// terms are the words of a language.
type terms struct {
	months        []string
	dayPoint      string // behind the day of a date
	day, days     string
	percent       string // with the space before it, if any
	none, unknown string
}

var (
	english = terms{
		months:  strings.Fields("January February March April May June July August September October November December"),
		day:     "day",
		days:    "days",
		percent: "%",
		none:    "(no value)",
		unknown: "(unknown)",
	}
	german = terms{
		months:   strings.Fields("Januar Februar März April Mai Juni Juli August September Oktober November Dezember"),
		dayPoint: ".",
		day:      "Tag",
		days:     "Tage",
		percent:  " %",
		none:     "(kein Wert)",
		unknown:  "(unbekannt)",
	}
)

func (l Language) terms() *terms {
	if l == German {
		return &german
	}
	return &english
}

// format returns a value as text.
func (l Language) format(v value, ref reference) string {
	t := l.terms()
	if _, whole := ref.expr.(cell); whole && v.text != "" && ref.decimals < 0 && !ref.percent && ref.power == 0 {
		return v.text
	}
	switch v.kind {
	case missing:
		return t.none
	case words:
		return v.text
	case moment:
		return l.date(v)
	}
	num, decimals := v.num, ref.decimals
	percent := v.ratio || ref.percent
	if percent {
		num = new(big.Rat).Mul(num, big.NewRat(100, 1))
	}
	if ref.power > 0 {
		power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(ref.power)), nil)
		num, v.decimals = new(big.Rat).Quo(num, new(big.Rat).SetInt(power)), -1
	}
	if decimals < 0 {
		decimals = shown(num, v, percent)
	}
	digits := l.digits(num.FloatString(decimals), !v.label)
	switch {
	case percent:
		return digits + t.percent
	case v.kind == span && (digits == "1" || digits == "-1"):
		return digits + " " + t.day
	case v.kind == span:
		return digits + " " + t.days
	}
	return digits
}

// shown returns how many digits a number has after the point: at most two, or as
// many as three digits of a small number need. A computed number has no zeros at
// its end.
func shown(num *big.Rat, v value, percent bool) int {
	most := 2
	if percent || v.kind == span {
		most = 1
	}
	size, _ := new(big.Rat).Abs(num).Float64()
	for limit := 1.0; size > 0 && size < limit && most < 12; limit /= 10 {
		most++
	}
	if v.decimals >= 0 && !percent {
		return min(v.decimals, most)
	}
	text := num.FloatString(most)
	return max(0, len(strings.TrimRight(text, "0"))-strings.IndexByte(text, '.')-1)
}

// digits returns a number in the form of Go as the language writes it.
func (l Language) digits(text string, grouped bool) string {
	group, point := ",", "."
	if l == German {
		group, point = ".", ","
	}
	text, negative := strings.CutPrefix(text, "-")
	whole, fraction, _ := strings.Cut(text, ".")
	if grouped {
		for i := len(whole) - 3; i > 0; i -= 3 {
			whole = whole[:i] + group + whole[i:]
		}
	}
	if fraction != "" {
		whole += point + fraction
	}
	if negative && strings.Trim(text, "0.") != "" {
		whole = "-" + whole
	}
	return whole
}

// date returns a month, or a date with the time of day if it has one.
func (l Language) date(v value) string {
	t := l.terms()
	text := t.months[v.time.Month()-1] + " " + strconv.Itoa(v.time.Year())
	if v.month {
		return text
	}
	text = strconv.Itoa(v.time.Day()) + t.dayPoint + " " + text
	if v.clock {
		text += v.time.Format(", 15:04")
	}
	return text
}
