package tools

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A measure is what a number is counted in, by what stands behind it.
type measure struct {
	power   int // of ten
	percent bool
	letter  rune // in small, where that power is said by it: such a letter may also mean metres
}

// A numberUnit is what the numbers of a column or member are counted in, by its name.
type numberUnit struct {
	power  int
	letter rune
}

func (u numberUnit) or(other numberUnit) numberUnit {
	if u == (numberUnit{}) {
		return other
	}
	return u
}

// A numberStyle is how a text writes numbers.
type numberStyle int

const (
	pointStyle numberStyle = iota // 1,234.5 as in English
	commaStyle                    // 1.234,5 as in German
)

// wordPowers has the words for powers of ten, in the languages that a model is mostly asked in.
var wordPowers = wordTable(map[int]string{
	2: "hundred hundreds hundert",
	3: "thousand thousands tausend tsd duizend tusen tusind mille mila millier milliers mil тыс тысяч тысяча тысячи tysiąc tysiące tysięcy tys tisíc",
	5: "lakh lakhs lac lacs",
	6: "million millions millionen millioner millón millones milione milioni milhão milhões miljoen miljoner miljon milion miliony milionów milionů milyon " +
		"mio mn mln млн миллион миллиона миллионов",
	7: "crore crores",
	9: "milliard milliards milliarde milliarden milliarder miliardo miliardi miljard miljarder miliard miliardy miliardów milyar millardo millardos " +
		"bilhão bilhões billion billions mrd mld bn bln млрд миллиард миллиарда миллиардов",
	12: "trillion trillions trn tn billionen billones billón biljoen",
	18: "trillionen",
})

func wordTable(words map[int]string) map[string]int {
	table := map[string]int{}
	for power, list := range words {
		for word := range strings.FieldsSeq(list) {
			table[word] = power
		}
	}
	return table
}

// letterPowers has what is a power of ten beside a currency, as in kEUR and USDm.
var letterPowers = map[string]int{"k": 3, "t": 3, "tsd": 3, "m": 6, "mm": 6, "mn": 6, "mio": 6, "b": 9, "bn": 9, "md": 9, "mds": 9, "mrd": 9}

var currencies = wordSet("eur euro euros usd dollar dollars gbp chf jpy cny rmb inr sek nok dkk pln czk huf cad sgd hkd brl mxn zar aed krw rub kr")

// hanPowers has the signs for powers of ten that follow a number in Chinese, Japanese and Korean.
var hanPowers = map[rune]int{'百': 2, '千': 3, '万': 4, '萬': 4, '亿': 8, '億': 8, '兆': 12, '천': 3, '만': 4, '억': 8}

// letterNames has the words in names that a letter behind a number may stand for.
var letterNames = map[string]rune{
	"k": 'k', "kelvin": 'k', "b": 'b', "byte": 'b', "bytes": 'b',
	"m": 'm', "meter": 'm', "meters": 'm', "metre": 'm', "metres": 'm', "min": 'm', "mins": 'm', "minute": 'm', "minutes": 'm',
}

var percents = wordSet("percent percentage pct prozent prozentpunkte procent procenten procenta prosent porcentaje процент процента процентов")

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

// wordPower returns the power of ten that a word in small letters is, where numbers are written in a style, or 0.
func wordPower(word string, style numberStyle) int {
	switch {
	case word == "mil" && style == pointStyle: // dollars, in English
		return 6
	case (word == "billion" || word == "billions") && style == commaStyle: // in German, French and Danish
		return 12
	case word == "trillion" && style == commaStyle:
		return 18
	}
	if power := wordPowers[word]; power != 0 {
		return power
	}
	for currency := range currencies {
		if letters, ok := strings.CutSuffix(word, currency); ok && letterPowers[letters] != 0 {
			return letterPowers[letters]
		}
		if letters, ok := strings.CutPrefix(word, currency); ok && letterPowers[letters] != 0 {
			return letterPowers[letters]
		}
	}
	return 0
}

// cutWord cuts the letters from the beginning of a text.
func cutWord(text string) (word, tail string) {
	end := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) })
	if end < 0 {
		end = len(text)
	}
	return text[:end], text[end:]
}

// isAround reports whether r may stand between a number and what it is counted in, as in **20** million and 20-million.
func isAround(r rune) bool {
	return unicode.IsSpace(r) || isSpace(r) || strings.ContainsRune("-\u2011\u2212+*(", r)
}

// measureOf returns what a number is counted in by the text behind it, and how many runes say so. A number may be attached to letters before it, or
// have money before it.
func measureOf(behind []rune, attached, money bool, style numberStyle) (measure, int) {
	text := string(behind[:min(len(behind), 48)])
	word := strings.TrimLeftFunc(text, func(r rune) bool {
		money = money || unicode.Is(unicode.Sc, r)
		return unicode.Is(unicode.Sc, r) || isAround(r)
	})
	length := func(tail string) int { return len([]rune(text)) - len([]rune(tail)) }
	glued := word == text
	if first := strings.TrimLeft(word, "%\u066a\uff05"); first != word {
		return measure{percent: true}, length(first)
	}
	word, tail := cutWord(word)
	small := strings.ToLower(word)
	next, after := cutWord(strings.TrimLeftFunc(tail, isAround))
	next = strings.ToLower(next)
	switch {
	case percents[small], strings.HasPrefix(small, "percent"):
		return measure{percent: true}, length(tail)
	case (small == "per" || small == "pour" || small == "por") && (next == "cent" || next == "cento" || next == "ciento"):
		return measure{percent: true}, length(after)
	}
	if power, han := cutHan(word); power != 0 && (glued || hasNoSpaces([]rune(word)[0])) && !attached {
		return measure{power: power}, length(han + tail)
	}
	if power := wordPower(small, style); power != 0 {
		for { // thousand million
			next, after := cutWord(strings.TrimLeftFunc(tail, isAround))
			more := wordPower(strings.ToLower(next), style)
			if more == 0 {
				return measure{power: power}, length(tail)
			}
			power, tail = power+more, after
		}
	}
	if !(attached && glued) {
		if m := measureOfLetter(word, tail, glued, money); m.power != 0 {
			return m, length(tail)
		}
	}
	return measure{}, 0
}

// measureOfLetter returns what a number is counted in by letters such as k, which may mean other things too.
func measureOfLetter(letters, behind string, glued, money bool) measure {
	after := []rune(behind + " ")[0]
	small := strings.ToLower(letters)
	switch {
	case unicode.IsNumber(after): // 20m²
		return measure{}
	case unicode.Is(unicode.Sc, after): // T€
		return measure{power: letterPowers[small]}
	case small == "md" || small == "mds":
		return measure{}
	case money && small == "t":
		return measure{power: 12}
	case money && (small == "cr" || small == "l"):
		return measure{power: map[string]int{"cr": 7, "l": 5}[small]}
	case letters == "MM", money && (small == "mm" || small == "m" || small == "b"):
		return measure{power: letterPowers[small]}
	case letters == "m" && after == '/', !glued && (letters == "m" || letters == "b"): // metres, and bits
		return measure{}
	case small == "k" || small == "m" || small == "b":
		return measure{power: letterPowers[small], letter: rune(small[0])}
	}
	return measure{}
}

// cutHan cuts the powers of ten from the beginning of a word in Chinese, Japanese or Korean.
func cutHan(word string) (power int, tail string) {
	for i, r := range word {
		next := []rune(word[i+len(string(r)):] + " ")[0]
		if hanPowers[r] == 0 || r == '千' && strings.ContainsRune("克米瓦卡", next) { // kilograms
			return power, word[i:]
		}
		power += hanPowers[r]
	}
	return power, ""
}

// isMoney reports whether a text ends with a currency.
func isMoney(before []rune) bool {
	text := strings.TrimRightFunc(string(before[max(0, len(before)-12):]), isAround)
	last, _ := utf8.DecodeLastRuneInString(text)
	word := text[len(strings.TrimRightFunc(text, unicode.IsLetter)):]
	return unicode.Is(unicode.Sc, last) || currencies[strings.ToLower(word)]
}

// isRange reports whether a text between two numbers makes a range of them, or a pair.
func isRange(between string) bool {
	between = strings.ToLower(strings.TrimFunc(between, func(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Sc, r) }))
	return ranges[between]
}

var ranges = wordSet("- \u2010 \u2011 \u2013 \u2014 ~ / to and or through bis und oder à et ou a y e o tot en of til till och og do i до и")

// unitOfName returns what a name says of the numbers that it names, as revenue_millions and length_m do.
func unitOfName(name string) numberUnit {
	var u numberUnit
	for word := range strings.FieldsFuncSeq(nameWords(name), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Sc, r)
	}) {
		letters := strings.TrimFunc(word, func(r rune) bool { return unicode.Is(unicode.Sc, r) })
		power := wordPower(letters, pointStyle)
		switch {
		case word == "000" || word == "000s" || word == "k":
			power = 3
		case letters != word:
			power = letterPowers[letters] // €m
		case word == "mil" || word == "mille":
			power = 0
		}
		u.power += power
		if u.letter == 0 {
			u.letter = letterNames[word]
		}
	}
	return u
}

// nameWords returns a name in small letters with its words apart.
func nameWords(name string) string {
	var b strings.Builder
	small := false
	for _, r := range name {
		if small && unicode.IsUpper(r) {
			b.WriteByte(' ')
		}
		small = unicode.IsLower(r)
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

var unitNames = wordSet("unit units uom scale measure currency einheit unité unidad")

// namesUnits reports whether what a name names is what other numbers are counted in.
func namesUnits(name string) bool {
	for word := range strings.FieldsFuncSeq(nameWords(name), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if unitNames[word] {
			return true
		}
	}
	return false
}

// Words that are frequent in languages with one style of numbers and not in those with the other.
var (
	pointWords = wordSet("the of and were are with than from this that has have by its between which more most each only")
	commaWords = wordSet("der das und ist mit von bei im zu auf nicht den dem ein eine einen für als wurden wurde hat sind liegt über nach aus wie viele hoch " +
		"le la les des du et est une sur avec pour dans sont au aux par ont quel quelle combien el los las es con por del para más que cuál cuánto il di della dei " +
		"nel sono più het een van zijn op voor naar uma em não são foi och av är som og af på na nie jest ve bir için")
)

// styleOf returns how numbers are written in the first text that tells: by its numbers, or else by its language.
func styleOf(texts ...string) numberStyle {
	for _, text := range texts {
		comma, point := styleOfNumbers(text)
		if comma == point {
			comma, point = styleOfWords(text)
		}
		if comma != point {
			if comma > point {
				return commaStyle
			}
			break
		}
	}
	return pointStyle
}

// styleOfNumbers returns how many numbers of a text can be of one style alone.
func styleOfNumbers(text string) (comma, point int) {
	for _, w := range writtenNumbers(text, pointStyle) {
		n := len(w.separators)
		if n == 0 || !w.plain {
			continue
		}
		first, last := w.separators[0], w.separators[n-1]
		grouped := n > 1 && first == last
		switch {
		case isApostrophe(first), isPoint(last) && isComma(last) == grouped:
			point++
		case isPoint(last):
			comma++
		}
	}
	return min(comma, 1), min(point, 1)
}

// styleOfWords returns how many words of a text are of languages with one style alone.
func styleOfWords(text string) (comma, point int) {
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		switch first := []rune(word)[0]; {
		case pointWords[word], unicode.In(first, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Devanagari):
			point++
		case commaWords[word], unicode.In(first, unicode.Cyrillic, unicode.Greek):
			comma++
		}
	}
	return comma, point
}
