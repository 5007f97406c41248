package sqlbound

import (
	"fmt"
	"strconv"
	"strings"
)

// A Function is the rule for one function: how long its result can be, and which
// argument multiplies its time.
type Function struct {
	kind   kind
	n      int  // a factor, or the number of an argument, from 1
	needle int  // the argument that is searched for in the others; 0: none
	regexp bool // the needle is a regular expression
	slow   bool // a search takes several times as long as one for a text
	policy bool // only a policy can allow the function
	either bool // two arguments are searched in one another: one of them has to be short
}

type kind uint8

const (
	unknown kind = iota // a function of a policy
	kindSmall
	kindFirst
	kindLongest
	kindSum
	kindSquare
	kindProduct
	kindCut
	kindPad
	kindFill
	kindJoin
	kindFormat
	kindFields
	kindReplace
	kindRegexp
	kindJSON
	kindPretty
	kindPaths
	kindCollect
	kindPower
	kindDigits
	kindRepeat
)

// kinds are the words of a table of functions for the size of a result.
var kinds = map[string]kind{
	"small":   kindSmall,   // a number, a date, a hash
	"first":   kindFirst,   // at most N times as long as the first argument
	"longest": kindLongest, // at most as long as the longest argument
	"sum":     kindSum,     // at most N times the sum of the arguments
	"square":  kindSquare,  // as sum, and the time grows with the square of the arguments
	"product": kindProduct, // the first argument as often as the others have bytes
	"cut":     kindCut,     // as the first, and at most as many characters as argument N
	"pad":     kindPad,     // argument N is the number of characters, filled with others
	"fill":    kindFill,    // a type that fills its values to its length
	"join":    kindJoin,    // the first argument is put between the others
	"format":  kindFormat,  // printf
	"fields":  kindFields,  // a format with each of the other arguments once
	"replace": kindReplace, // the second argument becomes the third
	"regexp":  kindRegexp,  // as replace, where the second may match nothing
	"json":    kindJSON,    // JSON of the arguments, in which texts are quoted
	"pretty":  kindPretty,  // indented JSON
	"paths":   kindPaths,   // what the further arguments select of the first
	"collect": kindCollect, // an aggregate that holds the values of all rows
	"power":   kindPower,   // the first argument to the power of the second
	"digits":  kindDigits,  // the first argument with as many digits as argument 2
	"repeat":  kindRepeat,  // the first argument as many times as argument N, which is a literal
}

// Functions reads a table of functions. A line is a rule, a colon and names:
//
//	sum needle 2: trim ltrim
//
// A rule is a kind of size, then a number if the kind has one, then "needle" "match"
// or "either", "slow" and "policy":
//
//   - needle N: the time is the product of argument N and the others
//   - match N: as needle, and argument N is a regular expression
//   - either: the time is the product of two arguments, and any may be the short one
//   - slow: each step of the product takes longer
//   - policy: only a policy can allow the function
//
// Functions panics if the table has a mistake.
func Functions(table string) map[string]Function {
	out := map[string]Function{}
	for line := range strings.Lines(table) {
		rule, names, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		f := parse(strings.Fields(rule))
		for name := range strings.FieldsSeq(names) {
			if _, twice := out[name]; twice {
				panic("sqlbound: two rules for " + name)
			}
			out[name] = f
		}
	}
	return out
}

func parse(words []string) Function {
	f := Function{kind: kinds[words[0]], n: 1}
	if f.kind == unknown {
		panic("sqlbound: no kind of size: " + words[0])
	}
	for i := 1; i < len(words); i++ {
		n, err := strconv.Atoi(words[i])
		switch {
		case err == nil && words[i-1] == "needle":
			f.needle = n
		case err == nil && words[i-1] == "match":
			f.needle, f.regexp = n, true
		case err == nil:
			f.n = n
		case words[i] == "either":
			f.either = true
		case words[i] == "slow":
			f.slow = true
		case words[i] == "policy":
			f.policy = true
		case words[i] != "needle" && words[i] != "match":
			panic(fmt.Sprintf("sqlbound: no rule: %v", words))
		}
	}
	return f
}
