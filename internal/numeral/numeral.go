// Package numeral finds numbers that English and German texts spell out, such as
// "twenty-one", "two hundred", "dreimonatig" and "the third".
package numeral

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Numeral is a number in words.
type Numeral struct {
	Value      int64
	Ordinal    bool // third, not three
	Begin, End int  // its place in the text
}

// Find returns the numerals of a text, in their order. The German "ein" and the English
// "a" are articles, and are none.
//
// Find reads the text once: its cost is linear.
func Find(text string) []Numeral {
	var all []Numeral
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !unicode.IsLetter(r) {
			i += size
			continue
		}
		w := word(text, i)
		n, ok := english(text, w)
		if ok && n.Value >= 100 && scalesDigits(text[:i]) {
			i = n.End
			continue
		}
		if !ok {
			n, ok = german(text, w)
		}
		if !ok {
			i = w.end
			continue
		}
		all = append(all, n)
		i = max(n.End, w.end)
	}
	return all
}

// scalesDigits reports whether the word behind a text belongs to digits, as in 4 billion.
func scalesDigits(before string) bool {
	before = strings.TrimRight(before, " \n-\u00a0")
	return before != "" && '0' <= before[len(before)-1] && before[len(before)-1] <= '9'
}

// A token is a word in lower case and its place. The word is empty if it is too long for
// a numeral.
type token struct {
	word       string
	begin, end int
}

const longest = 64 // bytes of a numeral in one word

// word returns the letters of a text that begin at i.
func word(text string, i int) token {
	end := len(text)
	if n := strings.IndexFunc(text[i:], func(r rune) bool { return !unicode.IsLetter(r) }); n >= 0 {
		end = i + n
	}
	t := token{begin: i, end: end}
	if end-i <= longest {
		t.word = strings.ToLower(text[i:end])
	}
	return t
}

// next returns the word after one sign: a space, a line end or a hyphen.
func next(text string, t token) (token, bool) {
	if t.end+1 >= len(text) || strings.IndexByte(" -\n", text[t.end]) < 0 {
		return token{}, false
	}
	n := word(text, t.end+1)
	return n, n.word != ""
}

var (
	ones = strings.Fields("zero one two three four five six seven eight nine ten " +
		"eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen")
	tens   = strings.Fields("ten twenty thirty forty fifty sixty seventy eighty ninety")
	oneths = strings.Fields("zeroth first second third fourth fifth sixth seventh eighth ninth tenth " +
		"eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth")
	tenths = strings.Fields("tenth twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth")
	scales = map[string]int64{"thousand": 1e3, "million": 1e6, "billion": 1e9}
)

// A part is a word of an English numeral.
type part struct {
	value   int64
	ordinal bool
}

var englishParts = func() map[string]part {
	all := map[string]part{"hundred": {100, false}, "hundredth": {100, true}}
	for i := range ones {
		all[ones[i]], all[oneths[i]] = part{int64(i), false}, part{int64(i), true}
	}
	for i := range tens {
		all[tens[i]], all[tenths[i]] = part{int64(10 * (i + 1)), false}, part{int64(10 * (i + 1)), true}
	}
	for name, value := range scales {
		all[name], all[name+"th"] = part{value, false}, part{value, true}
	}
	return all
}()

// english reads the numeral that begins with a word.
func english(text string, t token) (n Numeral, ok bool) {
	n.Begin = t.begin
	var total, current, last int64 // last is the value of the word before, 0 at the beginning
	for {
		p, known := englishParts[t.word]
		if !known || n.Ordinal || ok && !follows(p.value, last, current) {
			break
		}
		switch {
		case p.value == 100:
			current = max(current, 1) * 100
		case p.value >= 1000:
			total, current = total+max(current, 1)*p.value, 0
		default:
			current += p.value
		}
		n.End, n.Ordinal, last, ok = t.end, p.ordinal, p.value, true
		following, more := next(text, t)
		if more && following.word == "and" && last >= 100 {
			following, more = next(text, following)
			more = more && englishParts[following.word].value < 100
		}
		if !more {
			break
		}
		t = following
	}
	n.Value = total + current
	return n, ok
}

// follows reports whether a part of a numeral can stand after another one: one after
// twenty, hundred after two, and both after thousand. current is what was read since the
// last scale.
func follows(value, last, current int64) bool {
	switch {
	case value == 0:
		return false
	case value >= 1000:
		return last < 1000 && last > 0
	case value == 100:
		return last > 0 && current < 100
	case last >= 100:
		return true
	}
	return last >= 20 && value < 10
}

var germanNumbers, germanOrdinals = func() (cardinals, ordinals map[string]int64) {
	ones := strings.Fields("null eins zwei drei vier fünf sechs sieben acht neun zehn " +
		"elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn")
	tens := strings.Fields("zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig")
	cardinals, ordinals = map[string]int64{}, map[string]int64{}
	add := func(word, stem string, n int) {
		cardinals[word] = int64(n)
		for _, ending := range []string{"e", "en", "er", "es", "em"} {
			ordinals[stem+ending] = int64(n)
		}
	}
	stems := map[int]string{1: "erst", 3: "dritt", 7: "siebt", 8: "acht"}
	for n, word := range ones {
		stem, irregular := stems[n]
		if !irregular {
			stem = word + "t"
		}
		add(word, stem, n)
	}
	ones[1] = "ein"
	for i, ten := range tens {
		for n, one := range ones[:10] {
			word := one + "und" + ten
			if n == 0 {
				word = ten
			}
			add(word, word+"st", 10*(i+2)+n)
			if other := strings.ReplaceAll(word, "ß", "ss"); other != word {
				add(other, other+"st", 10*(i+2)+n)
			}
		}
	}
	return cardinals, ordinals
}()

// units are what a German numeral can be joined with, as in dreimonatig and zweimal.
var units = strings.Fields("monat jahr jähr tag täg woch wöch stund stünd minut minüt sekund sekünd quartal mal fach prozent")

// german reads the numeral that a word is or begins with. "Million" and "tausend" can be
// words of their own.
func german(text string, t token) (n Numeral, ok bool) {
	if value, is := germanOrdinals[t.word]; is {
		return Numeral{Value: value, Ordinal: true, Begin: t.begin, End: t.end}, true
	}
	value, rest, ok := germanValue(t.word)
	if !ok {
		return n, false
	}
	n = Numeral{Value: value, Begin: t.begin, End: t.end - len(rest)}
	if following, more := next(text, t); more && rest == "" {
		switch following.word {
		case "tausend":
			n.Value, n.End = value*1e3, following.end
		case "million", "millionen":
			n.Value, n.End = value*1e6, following.end
		case "milliarde", "milliarden":
			n.Value, n.End = value*1e9, following.end
		}
	}
	return n, true
}

// germanValue reads a cardinal number. rest is the unit behind it.
func germanValue(word string) (value int64, rest string, ok bool) {
	if n, ok := germanCardinal(word); ok {
		return n, "", true
	}
	for _, unit := range units {
		if at := strings.LastIndex(word, unit); at > 0 {
			if n, ok := germanCardinal(word[:at]); ok {
				return n, word[at:], true
			}
		}
	}
	return 0, "", false
}

// germanCardinal reads a whole word, such as zweihundertdreizehn.
func germanCardinal(word string) (int64, bool) {
	if n, ok := germanNumbers[word]; ok {
		return n, true
	}
	for name, value := range map[string]int64{"tausend": 1000, "hundert": 100} {
		before, after, found := strings.Cut(word, name)
		if !found || name == "hundert" && strings.Contains(word, "tausend") {
			continue
		}
		factor, rest, ok := int64(1), int64(0), true
		if before != "" && before != "ein" {
			factor, ok = germanCardinal(before)
		}
		if after = strings.TrimPrefix(after, "und"); ok && after != "" {
			rest, ok = germanCardinal(after)
		}
		return factor*value + rest, ok && factor < 1000 && rest < value
	}
	return 0, false
}
