package claims

import (
	"math"
	"strconv"
	"strings"

	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/usertext"
)

// texts are the sentences of reports. A name in braces is replaced by its value.
type texts struct {
	Supported, Doubtful, Unsupported, ManyTests, Contradicted, Unchecked, NotChecked string

	AllRows, SampleRows, FirstRows                                      string
	SizeOK, SizeSmall, ShareOK, ShareWide                               string
	Differs, DiffersNot, Opposite, Negligible                           string
	MixDiffers, MixDiffersNot, MixInexact                               string
	GroupsDiffer, GroupsDifferNot, FirstSeparate, FirstNot, FirstWrong  string
	Correlates, CorrelatesNot, CorrelatesOpposite, CorrelatesDisagree   string
	CorrelatesWeakly                                                    string
	ShareIs, ShareFits, ShareWrong                                      string
	OutliersNone, OutliersFine, OutliersWeak, OutliersFlip              string
	MissingNone, MissingFine, MissingMany, MissingDepends               string
	SimpsonNone, SimpsonWeak, SimpsonReversed                           string
	CausalTyped, CausalRandomized, CausalUnsupported                    string
	ValueFits, ValueNear, ValueWrong, OfAll, OfOthers, RankOf, Misspelt string
	OtherNumber                                                         string
	TrendHolds, TrendNot, TrendOpposite, SharedTrend, SampleAndAll      string
	CopiesOnce, CopiesCounted, CopiesOfKey, UnitsMixed, OneValue        string
	PeriodOut, PeriodShort                                              string

	Limited, NotParts, NoBase, FewSteps string

	NoClaim, NoStrata, NoGroups, NoValues, AllEqual, FewPairs, FewValues string
	MixOnly, NoRows, ManyGroups, Overlap                                 string

	Decimal string // the sign before the decimals of a number
}

var textTable = usertext.Of[texts]("claims")

var fill = usertext.Fill

// quoted is a name or a value of the data in a sentence.
func quoted(s string) string { return strconv.Quote(prompt.Clip(s, maxNameBytes)) }

func count(n int) string { return strconv.Itoa(n) }

// number has four digits, which is enough to compare.
func (t *texts) number(v float64) string {
	if math.Abs(v) >= 1000 && math.Abs(v) < 1e15 {
		return strconv.FormatFloat(math.Round(v), 'f', -1, 64)
	}
	return t.decimal(strconv.FormatFloat(v, 'g', 4, 64))
}

func (t *texts) percent(share float64) string {
	return t.decimal(strconv.FormatFloat(100*share, 'f', 1, 64)) + " %"
}

// ratio is a coefficient with two digits, or more if it is small.
func (t *texts) ratio(v float64) string {
	if v != 0 && math.Abs(v) < 0.01 {
		return t.decimal(strconv.FormatFloat(v, 'g', 1, 64))
	}
	return t.decimal(strconv.FormatFloat(v, 'f', 2, 64))
}

func (t *texts) chance(p float64) string {
	if p < 0.001 {
		return t.decimal("p < 0.001")
	}
	return t.decimal("p = " + strconv.FormatFloat(p, 'f', 3, 64))
}

// list joins quoted words.
func list(words []string) string {
	return strings.Join(lists.Map(words, quoted), ", ")
}

// decimal returns a number in the form of Go as the language writes it.
func (t *texts) decimal(number string) string { return strings.Replace(number, ".", t.Decimal, 1) }
