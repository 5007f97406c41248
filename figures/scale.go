package figures

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/qedkit/qed/internal/wordset"
)

// wordPowers has the words for powers of ten.
var wordPowers = func() map[string]int {
	table := map[string]int{}
	for power, words := range map[int]string{
		2: "hundred hundreds hundert 百",
		3: "thousand thousands tausend tsd duizend tusen tusind mille mila millier milliers mil тыс тысяч тысяча тысячи tysiąc tysiące tysięcy tys tisíc 千 천",
		4: "万 萬 만",
		5: "lakh lakhs lac lacs",
		6: "million millions millionen millioner millón millones milione milioni milhão milhões miljoen miljoner miljon milion miliony milionów milionů milyon " +
			"mio mn mln mm milj millió εκατ млн миллион миллиона миллионов",
		7: "crore crores",
		8: "亿 億 억",
		9: "milliard milliards milliarde milliarden milliarder miliardo miliardi miljard miljarder miliard miliardy miliardów milyar millardo millardos " +
			"bilhão bilhões billion billions mrd mld bn bln δισ млрд миллиард миллиарда миллиардов",
		12: "trillion trillions trn tn billionen billones billón biljoen 兆 조",
	} {
		for word := range strings.FieldsSeq(words) {
			table[word] = power
		}
	}
	delete(table, "mm") // millimetres, unless it stands next to a currency
	return table
}()

// letterPowers has what is a power of ten next to a currency, as in kEUR, USDm
// and €20m.
var letterPowers = map[string]int{"k": 3, "t": 3, "tsd": 3, "m": 6, "mm": 6, "mn": 6, "mio": 6, "b": 9, "bn": 9, "md": 9, "mrd": 9}

// abbreviated has powers of ten of some languages next to a currency, which may mean other
// things too: ₹1.2 cr and R$ 1,2 mi.
var abbreviated = map[string]int{"cr": 7, "mi": 6, "bi": 9}

// bytePowers has the powers of ten of bytes.
var bytePowers = map[string]int{"kB": 3, "KB": 3, "MB": 6, "GB": 9, "TB": 12}

var (
	currencies = wordset.Of(`
		eur euro euros usd dollar dollars gbp chf jpy cny rmb inr sek nok dkk pln czk huf cad sgd hkd brl mxn zar
		aed krw rub kr rs`)
	percents = wordset.Of(`
		percent percentage pct prozent prozentpunkte procent procenten procenta prosent porcentaje процент процента
		процентов`)
)

// units are units of measure, which may stand directly behind a number.
var units = wordset.Of(`
	kg g mg µg μg t lb lbs oz m km cm mm µm ft yd mi m² m³ km² ha l L ml mL cl hl gal h min s ms µs ns d hr hrs
	std Std sec °C °F kWh MWh GWh TWh Wh kW MW GW W Hz kHz MHz GHz bar mbar Pa kPa hPa psi kN kJ MJ kcal cal kB
	KB MB GB TB kb mb gb tb KiB MiB GiB bit kbit Mbit Gbit rpm mph km/h m/s TEU teu x pcs pc stk Stk Stück % pp hour hours
	day days week weeks month months year years minute minutes second seconds piece pieces unit units Stunde
	Stunden Tag Tage Tagen Woche Wochen Monat Monate Jahr Jahre Minute Minuten Sekunden`)

// wordPower returns the power of ten of a word in lower case, or 0.
func wordPower(word string, style Style) int {
	switch {
	case word == "mil" && style == PointDecimal: // English: a million dollars
		return 6
	case word == "mill" && style == CommaDecimal: // Norwegian
		return 6
	case (word == "billion" || word == "billions") && style == CommaDecimal: // German, French, Danish
		return 12
	case wordPowers[word] != 0:
		return wordPowers[word]
	}
	return moneyPowers[word]
}

// moneyPowers has the powers of ten of words such as keur and usdm.
var moneyPowers = func() map[string]int {
	all := map[string]int{}
	for currency := range currencies {
		for letters, power := range letterPowers {
			all[letters+currency], all[currency+letters] = power, power
		}
	}
	return all
}()

// scale reads the scale of a number from the text behind it, and returns the
// length of what says so.
func (n *Number) scale(behind string, money bool, style Style) int {
	rest := strings.TrimLeftFunc(behind, func(r rune) bool {
		money = money || unicode.Is(unicode.Sc, r)
		return isAround(r)
	})
	glued := rest == behind
	if strings.HasPrefix(rest, "%") {
		n.Percent = true
		return len(behind) - len(rest) + 1
	}
	word, tail := cutWord(rest)
	next, after := cutWord(strings.TrimLeftFunc(tail, isAround))
	lower, next := strings.ToLower(word), strings.ToLower(next)
	switch {
	case percents[lower]:
		n.Percent = true
		return len(behind) - len(tail)
	case (lower == "per" || lower == "pour" || lower == "por") && (next == "cent" || next == "cento" || next == "ciento"):
		n.Percent = true
		return len(behind) - len(after)
	}
	if power := wordPower(lower, style); power != 0 {
		n.power = power
		if more := wordPower(next, style); more != 0 { // thousand million
			n.power, tail = power+more, after
		}
		return len(behind) - len(tail)
	}
	n.power, n.unsure = letterPower(word, tail, glued, money)
	if n.power == 0 {
		return 0
	}
	return len(behind) - len(tail)
}

// letterPower returns the power of ten of letters such as k and m, which may
// mean other things too: unsure reports that they may be a unit of measure.
func letterPower(letters, behind string, glued, money bool) (power int, unsure bool) {
	after, _ := utf8.DecodeRuneInString(behind)
	lower := strings.ToLower(letters)
	switch {
	case isNumberSign(after), isDigit(behind, 0): // 20m², 20 B2B customers
		return 0, false
	case unicode.Is(unicode.Sc, after): // T€
		return letterPowers[lower], false
	case money && lower == "t":
		return 12, false
	case money && abbreviated[lower] != 0:
		return abbreviated[lower], true
	case money && lower != "tsd":
		return letterPowers[lower], false
	case lower == "k" || letters == "M" || letters == "B" || letters == "MM":
		return letterPowers[lower], false
	case glued && (letters == "m" || letters == "b"): // millions or metres
		return letterPowers[letters], true
	case bytePowers[letters] != 0: // of a number of bytes, or of megabytes
		return bytePowers[letters], true
	}
	return 0, false
}

// cutWord cuts the letters from the beginning of a text, or one letter of a
// script without spaces.
func cutWord(text string) (word, tail string) {
	for i, r := range text {
		if hasNoSpaces(r) && i == 0 {
			return string(r), text[len(string(r)):]
		}
		if !unicode.IsLetter(r) && !unicode.IsMark(r) || hasNoSpaces(r) {
			return text[:i], text[i:]
		}
	}
	return text, ""
}

// isAround reports whether r may stand between a number and its scale or
// currency, as in **20** million, 20-million and 20 €.
func isAround(r rune) bool {
	return unicode.IsSpace(r) || unicode.Is(unicode.Sc, r) || strings.ContainsRune("-+*(", r)
}

// hasNoSpaces reports whether r is of a script without spaces between words.
func hasNoSpaces(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai)
}

// endsWithMoney reports whether a text ends with a currency.
func endsWithMoney(text string) bool {
	text = text[max(0, len(text)-24):]
	trimmed := strings.TrimRightFunc(text, func(r rune) bool { return isAround(r) && !unicode.Is(unicode.Sc, r) })
	last, _ := utf8.DecodeLastRuneInString(trimmed)
	word := trimmed[len(strings.TrimRightFunc(trimmed, unicode.IsLetter)):]
	return unicode.Is(unicode.Sc, last) || currencies[strings.ToLower(word)]
}

// startsWithMoney reports whether a text begins with a currency.
func startsWithMoney(text string) bool {
	trimmed := strings.TrimLeft(text, " *")
	first, _ := utf8.DecodeRuneInString(trimmed)
	word, _ := cutWord(trimmed)
	return unicode.Is(unicode.Sc, first) || currencies[strings.ToLower(word)]
}

// powerOfName returns the power of ten that a name says its numbers are counted
// in, as revenue_millions, revenueMillions and "cost (k€)" do, or 0.
func powerOfName(name string) int {
	for _, word := range nameWords.FindAllString(name, -1) {
		word = strings.ToLower(word)
		letters := strings.TrimFunc(word, func(r rune) bool { return unicode.Is(unicode.Sc, r) })
		power := wordPower(letters, PointDecimal)
		if letters != word || word == "k" {
			power = letterPowers[letters]
		}
		if power != 0 && word != "mil" && word != "mille" {
			return power
		}
	}
	return 0
}

// nameWords matches the words of a name, also those of camel case.
var nameWords = regexp.MustCompile(`\p{Lu}*[\p{Ll}\p{Sc}]+|\p{Lu}+`)
