package figures

import (
	"strings"
	"unicode"

	"github.com/qedkit/qed/internal/wordset"
)

// A Style is how a text writes numbers. It only matters where a number has two
// meanings: 1,234 is a thousand and more in one style and less than two in the
// other.
type Style int

const (
	PointDecimal Style = iota // 1,234.5 as in English
	CommaDecimal              // 1.234,5 as in German
)

// Frequent words of languages with one style that the others do not have.
var (
	pointWords = wordset.Of(`
		the of and were are with than from this that has have by its between which more most each only`)
	commaWords = wordset.Of(`
		der das und ist mit von bei im zu auf nicht den dem ein eine einen für als wurden wurde hat sind liegt über
		nach aus wie viele hoch le la les des du et est une sur avec pour dans sont au aux par ont quel quelle
		combien el los las es con por del para más que cuál cuánto il di della dei nel sono più het een van zijn op
		voor naar uma em não são foi och av som af på na nie jest ve bir için`)
)

// StyleOf returns the style of the first text that shows one: by a number that
// has one meaning only, such as 1.234,5, or else by its language. If none does,
// it returns PointDecimal.
func StyleOf(texts ...string) Style {
	for _, text := range texts {
		comma, point := styleOfNumbers(plain(text))
		if comma == point {
			comma, point = styleOfWords(text)
		}
		if comma != point {
			if comma > point {
				return CommaDecimal
			}
			break
		}
	}
	return PointDecimal
}

// styleOfNumbers returns 1 for each style that a number of a plain text proves.
func styleOfNumbers(text string) (comma, point int) {
	for i := 0; i < len(text); i++ {
		if !isDigit(text, i) {
			continue
		}
		parts, separators, end := groups(text, i)
		i = end
		n := len(separators)
		switch rest := text[end:]; {
		case strings.HasPrefix(rest, ",-"), strings.HasPrefix(rest, ",–"): // 12.500,- is an amount
			comma = 1
			continue
		case n == 1 && separators == "." && len(parts[0]) <= 2 && len(parts[1]) <= 2 && strings.HasPrefix(rest, "."):
			continue // 3.4. is a date, or ends a sentence
		}
		if n == 0 || isDate(parts) || n == 1 && areThousands(parts) && separators != "'" {
			continue
		}
		last := separators[n-1]
		many := n > 1 && separators[0] == last // such a separator groups
		switch {
		case many && !areThousands(parts): // a version or a list
		case separators[0] == '\'', last == '.' && !many, last == ',' && many:
			point = 1
		case last == ',' || last == '.':
			comma = 1
		}
	}
	return comma, point
}

// styleOfWords returns how many words of a text are of languages with one style.
func styleOfWords(text string) (comma, point int) {
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		switch first := []rune(word)[0]; {
		case pointWords[word], hasNoSpaces(first), unicode.Is(unicode.Devanagari, first):
			point++
		case commaWords[word], unicode.In(first, unicode.Cyrillic, unicode.Greek):
			comma++
		}
	}
	return comma, point
}
