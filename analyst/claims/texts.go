package claims

import (
	"math"
	"strconv"
	"strings"

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
	TrendHolds, TrendNot, TrendOpposite, SharedTrend, SampleAndAll      string
	CopiesOnce, CopiesCounted, CopiesOfKey, UnitsMixed, OneValue        string
	PeriodOut, PeriodShort                                              string

	Limited, NotParts, NoBase, FewSteps string

	NoClaim, NotSignificant, NoStrata, NoGroups, NoValues, AllEqual, FewPairs, FewValues string
	MixOnly, NoRows, ManyGroups, Overlap                                                 string

	Decimal string // the sign before the decimals of a number
}

var shipped = usertext.New(map[string]texts{
	usertext.English: {
		Decimal:      ".",
		Supported:    "The rows support the finding.",
		Doubtful:     "The rows agree with the finding, but it is doubtful.",
		Unsupported:  "The rows do not support the finding: chance explains them ({p}).",
		ManyTests:    "The rows do not support the finding: {p} alone, but {adjusted} adjusted for {tests} tests of this session.",
		Contradicted: "The rows contradict the finding.",
		Unchecked:    "The finding could not be checked.",
		NotChecked:   "Not checked, {check}: {reason}.",

		AllRows:    "All {n} rows were checked.",
		SampleRows: "{n} of {total} rows were checked, a random sample.",
		FirstRows:  "{n} of {total} rows were checked, and they are not a random sample: the others may differ.",
		SizeOK:     "The smallest group has {n} rows.",
		SizeSmall:  "{group} has only {n} rows.",
		ShareOK:    "Each share is known to {width} percentage points or better.",
		ShareWide:  "{group} has {n} rows, so its share lies anywhere between {low} and {high}.",

		Differs:       "{a} has {meanA} and {b} {meanB} ({p}, effect {effect}).",
		DiffersNot:    "{a} has {meanA} and {b} {meanB}, which chance explains ({p}).",
		Opposite:      "It is the other way round: {a} has {meanA} and {b} {meanB} ({p}).",
		Negligible:    "{a} has {meanA} and {b} {meanB}: certain ({p}), but negligible (effect {effect}).",
		MixDiffers:    "The values of {metric} differ between the groups of {by} ({p}, Cramer's V {effect}).",
		MixDiffersNot: "The values of {metric} do not differ between the groups of {by} beyond chance ({p}).",
		MixInexact:    "Some values are too rare for an exact test of {metric} by {by} ({p}, Cramer's V {effect}).",

		GroupsDiffer:    "The {n} groups of {by} differ ({p}, effect {effect}).",
		GroupsDifferNot: "The {n} groups of {by} do not differ beyond chance ({p}).",
		FirstSeparate:   "{a} differs from each other group in the claimed direction.",
		FirstNot:        "{a} cannot be told from {b} ({p}).",
		FirstWrong:      "It is the other way round for {b}: {a} has {meanA} and {b} {meanB} ({p}).",

		Correlates:         "{a} and {b} are correlated (Pearson {r}, Spearman {rank}, {p}).",
		CorrelatesNot:      "{a} and {b} are not correlated beyond chance (Pearson {r}, Spearman {rank}, {p}).",
		CorrelatesOpposite: "The correlation of {a} and {b} has the other sign (Pearson {r}, Spearman {rank}, {p}).",
		CorrelatesDisagree: "Values and ranks of {a} and {b} disagree (Pearson {r}, Spearman {rank}): a few extreme rows or a curve decide.",
		CorrelatesWeakly:   "The correlation of {a} and {b} is certain but negligible (Pearson {r}, Spearman {rank}, {p}).",

		ShareIs:    "{count} of {n} rows are {value}: {share}, between {low} and {high}.",
		ShareFits:  "{count} of {n} rows are {value} ({share}, between {low} and {high}), which agrees with the claimed {claimed}.",
		ShareWrong: "{count} of {n} rows are {value} ({share}, between {low} and {high}), not the claimed {claimed}.",

		OutliersNone: "There are no outliers.",
		OutliersFine: "The result is the same without the {n} outliers.",
		OutliersWeak: "Without {n} outliers the result is not significant ({p}).",
		OutliersFlip: "Without {n} outliers the result is reversed ({p}).",

		MissingNone:    "No values are missing.",
		MissingFine:    "{share} of the values are missing, alike in all groups.",
		MissingMany:    "{share} of the values are missing.",
		MissingDepends: "Missing values depend on the group: {low} in {a}, {high} in {b} ({p}).",

		SimpsonNone:     "The result is the same within {n} other columns.",
		SimpsonWeak:     "Within the groups of {column} little of the result remains ({before} becomes {after}): {column} may explain it.",
		SimpsonReversed: "Within the groups of {column} the result is reversed ({before} becomes {after}): Simpson's paradox.",

		CausalTyped:       "The finding names a cause, and the groups were not assigned at random. The rows show what occurs together, not why.",
		CausalRandomized:  "The groups were assigned at random, so the finding may name a cause.",
		CausalUnsupported: "The words {words} name a cause. The rows show what occurs together, not why.",

		ValueFits:  "The result of the query gives {value}, which agrees with the claimed {claimed}.",
		ValueNear:  "The result of the query gives {value}, which the claimed {claimed} only roughly agrees with.",
		ValueWrong: "The result of the query gives {value}, not the claimed {claimed}.",
		OfAll:      "It is compared with the mean of all groups.",
		OfOthers:   "It is compared with the mean of the other groups.",
		RankOf:     "place",
		Misspelt:   "No row meets {conditions}, and the data has similar values: a name may be misspelt.",

		TrendHolds:    "{metric} follows {by} (rank correlation {rank}, {p}).",
		TrendNot:      "{metric} does not follow {by} beyond chance (rank correlation {rank}, {p}).",
		TrendOpposite: "It is the other way round: the rank correlation of {metric} and {by} is {rank} ({p}).",
		SharedTrend:   "The changes of {a} and {b} along {column} do not go together ({r}, {p}): the two may only share a trend.",
		SampleAndAll:  "{n} of {total} rows were tested, a random sample. Counts and means are those of all rows.",

		CopiesOnce:    "{n} of {total} rows are copies of others and count once.",
		CopiesCounted: "{n} of {total} rows behind the query are copies of others, and its result counts them.",
		CopiesOfKey:   "Rows repeat the values of {column} and those of the claim.",
		UnitsMixed:    "{n} values of {column} differ from the others by a factor of about {factor}: they may have another unit.",
		OneValue:      "One value is {share} of the sum of {column}.",
		PeriodOut:     "{a} is {factor} times its neighbours: its data may be broken.",
		PeriodShort:   "{a} has data of {n} days, and the other periods usually of {usual}: it may be incomplete.",

		Limited: "the query has more rows or a LIMIT, so its result may not be all", NotParts: "the numbers are no parts of a sum",
		NoBase: "the number that the claim compares with is missing or not above 0", FewSteps: "fewer than {n} values that differ",

		NoClaim:        "no typed claim is given",
		NotSignificant: "there is no significant result to explain", NoStrata: "no other column has few values in which the groups can be compared",
		NoGroups: "fewer than two groups have values", NoValues: "the column has no values", AllEqual: "all values are equal",
		FewPairs: "fewer than {n} rows have both values", FewValues: "fewer than {n} values in a group", MixOnly: "the claim compares all values and not one outcome",
		NoRows: "there are no rows", ManyGroups: "there are more than {n} groups: only the first is compared with each other", Overlap: "{column} has few rows in which the groups can be compared",
	},
	usertext.German: {
		Decimal:      ",",
		Supported:    "Die Zeilen stützen die Aussage.",
		Doubtful:     "Die Zeilen passen zur Aussage, sie ist aber zweifelhaft.",
		Unsupported:  "Die Zeilen stützen die Aussage nicht: Zufall erklärt sie ({p}).",
		ManyTests:    "Die Zeilen stützen die Aussage nicht: {p} für sich, aber {adjusted} nach der Korrektur für {tests} Tests dieser Sitzung.",
		Contradicted: "Die Zeilen widersprechen der Aussage.",
		Unchecked:    "Die Aussage konnte nicht geprüft werden.",
		NotChecked:   "Nicht geprüft, {check}: {reason}.",

		AllRows:    "Alle {n} Zeilen wurden geprüft.",
		SampleRows: "{n} von {total} Zeilen wurden geprüft, eine Zufallsstichprobe.",
		FirstRows:  "{n} von {total} Zeilen wurden geprüft, und sie sind keine Zufallsstichprobe: Die anderen können abweichen.",
		SizeOK:     "Die kleinste Gruppe hat {n} Zeilen.",
		SizeSmall:  "{group} hat nur {n} Zeilen.",
		ShareOK:    "Jeder Anteil ist auf {width} Prozentpunkte oder besser bekannt.",
		ShareWide:  "{group} hat {n} Zeilen, der Anteil liegt daher irgendwo zwischen {low} und {high}.",

		Differs:       "{a} hat {meanA} und {b} {meanB} ({p}, Effekt {effect}).",
		DiffersNot:    "{a} hat {meanA} und {b} {meanB}, was Zufall erklärt ({p}).",
		Opposite:      "Es ist umgekehrt: {a} hat {meanA} und {b} {meanB} ({p}).",
		Negligible:    "{a} hat {meanA} und {b} {meanB}: sicher ({p}), aber unerheblich (Effekt {effect}).",
		MixDiffers:    "Die Werte von {metric} unterscheiden sich zwischen den Gruppen von {by} ({p}, Cramérs V {effect}).",
		MixDiffersNot: "Die Werte von {metric} unterscheiden sich zwischen den Gruppen von {by} nicht mehr als zufällig ({p}).",
		MixInexact:    "Einige Werte sind zu selten für einen genauen Test von {metric} nach {by} ({p}, Cramérs V {effect}).",

		GroupsDiffer:    "Die {n} Gruppen von {by} unterscheiden sich ({p}, Effekt {effect}).",
		GroupsDifferNot: "Die {n} Gruppen von {by} unterscheiden sich nicht mehr als zufällig ({p}).",
		FirstSeparate:   "{a} unterscheidet sich von jeder anderen Gruppe in der behaupteten Richtung.",
		FirstNot:        "{a} ist von {b} nicht zu unterscheiden ({p}).",
		FirstWrong:      "Bei {b} ist es umgekehrt: {a} hat {meanA} und {b} {meanB} ({p}).",

		Correlates:         "{a} und {b} sind korreliert (Pearson {r}, Spearman {rank}, {p}).",
		CorrelatesNot:      "{a} und {b} sind nicht mehr als zufällig korreliert (Pearson {r}, Spearman {rank}, {p}).",
		CorrelatesOpposite: "Die Korrelation von {a} und {b} hat das andere Vorzeichen (Pearson {r}, Spearman {rank}, {p}).",
		CorrelatesDisagree: "Werte und Ränge von {a} und {b} widersprechen sich (Pearson {r}, Spearman {rank}): Einige extreme Zeilen oder eine Kurve entscheiden.",
		CorrelatesWeakly:   "Die Korrelation von {a} und {b} ist sicher, aber unerheblich (Pearson {r}, Spearman {rank}, {p}).",

		ShareIs:    "{count} von {n} Zeilen sind {value}: {share}, zwischen {low} und {high}.",
		ShareFits:  "{count} von {n} Zeilen sind {value} ({share}, zwischen {low} und {high}), was zu {claimed} passt.",
		ShareWrong: "{count} von {n} Zeilen sind {value} ({share}, zwischen {low} und {high}), nicht {claimed} wie behauptet.",

		OutliersNone: "Es gibt keine Ausreißer.",
		OutliersFine: "Das Ergebnis ist ohne die {n} Ausreißer dasselbe.",
		OutliersWeak: "Ohne {n} Ausreißer ist das Ergebnis nicht signifikant ({p}).",
		OutliersFlip: "Ohne {n} Ausreißer kehrt sich das Ergebnis um ({p}).",

		MissingNone:    "Es fehlen keine Werte.",
		MissingFine:    "{share} der Werte fehlen, in allen Gruppen ähnlich viele.",
		MissingMany:    "{share} der Werte fehlen.",
		MissingDepends: "Fehlende Werte hängen von der Gruppe ab: {low} in {a}, {high} in {b} ({p}).",

		SimpsonNone:     "Das Ergebnis ist innerhalb von {n} anderen Spalten dasselbe.",
		SimpsonWeak:     "Innerhalb der Gruppen von {column} bleibt wenig vom Ergebnis (aus {before} wird {after}): {column} erklärt es vielleicht.",
		SimpsonReversed: "Innerhalb der Gruppen von {column} kehrt sich das Ergebnis um (aus {before} wird {after}): Simpson-Paradoxon.",

		CausalTyped:       "Die Aussage nennt eine Ursache, und die Gruppen wurden nicht zufällig zugeteilt. Die Zeilen zeigen, was zusammen auftritt, nicht warum.",
		CausalRandomized:  "Die Gruppen wurden zufällig zugeteilt, die Aussage darf also eine Ursache nennen.",
		CausalUnsupported: "Die Wörter {words} nennen eine Ursache. Die Zeilen zeigen, was zusammen auftritt, nicht warum.",

		ValueFits:  "Das Ergebnis der Abfrage ist {value}, was zu {claimed} passt.",
		ValueNear:  "Das Ergebnis der Abfrage ist {value}, was zu {claimed} nur ungefähr passt.",
		ValueWrong: "Das Ergebnis der Abfrage ist {value}, nicht {claimed} wie behauptet.",
		OfAll:      "Verglichen wird mit dem Mittel aller Gruppen.",
		OfOthers:   "Verglichen wird mit dem Mittel der anderen Gruppen.",
		RankOf:     "Platz",
		Misspelt:   "Keine Zeile erfüllt {conditions}, und die Daten haben ähnliche Werte: Ein Name ist vielleicht falsch geschrieben.",

		TrendHolds:    "{metric} folgt {by} (Rangkorrelation {rank}, {p}).",
		TrendNot:      "{metric} folgt {by} nicht mehr als zufällig (Rangkorrelation {rank}, {p}).",
		TrendOpposite: "Es ist umgekehrt: Die Rangkorrelation von {metric} und {by} ist {rank} ({p}).",
		SharedTrend:   "Die Änderungen von {a} und {b} entlang {column} gehen nicht zusammen ({r}, {p}): Vielleicht haben beide nur denselben Trend.",
		SampleAndAll:  "{n} von {total} Zeilen wurden getestet, eine Zufallsstichprobe. Anzahlen und Mittelwerte sind die aller Zeilen.",

		CopiesOnce:    "{n} von {total} Zeilen sind Kopien anderer und zählen einmal.",
		CopiesCounted: "{n} von {total} Zeilen hinter der Abfrage sind Kopien anderer, und ihr Ergebnis zählt sie mit.",
		CopiesOfKey:   "Zeilen wiederholen die Werte von {column} und die der Behauptung.",
		UnitsMixed:    "{n} Werte von {column} unterscheiden sich von den anderen um einen Faktor von etwa {factor}: Vielleicht haben sie eine andere Einheit.",
		OneValue:      "Ein Wert macht {share} der Summe von {column} aus.",
		PeriodOut:     "{a} ist das {factor}-Fache der Nachbarn: Die Daten sind dort vielleicht gestört.",
		PeriodShort:   "{a} hat Daten von {n} Tagen, die anderen Zeiträume meist von {usual}: Er ist vielleicht unvollständig.",

		Limited: "die Abfrage hat mehr Zeilen oder ein LIMIT, ihr Ergebnis ist also vielleicht nicht alles", NotParts: "die Zahlen sind keine Teile einer Summe",
		NoBase: "die Zahl, mit der verglichen wird, fehlt oder ist nicht größer als 0", FewSteps: "weniger als {n} verschiedene Werte",

		NoClaim:        "es gibt keine typisierte Behauptung",
		NotSignificant: "es gibt kein signifikantes Ergebnis zu erklären", NoStrata: "keine andere Spalte hat wenige Werte, in denen sich die Gruppen vergleichen lassen",
		NoGroups: "weniger als zwei Gruppen haben Werte", NoValues: "die Spalte hat keine Werte", AllEqual: "alle Werte sind gleich",
		FewPairs: "weniger als {n} Zeilen haben beide Werte", FewValues: "weniger als {n} Werte in einer Gruppe", MixOnly: "die Behauptung vergleicht alle Werte und nicht einen bestimmten",
		NoRows: "es gibt keine Zeilen", ManyGroups: "es gibt mehr als {n} Gruppen: nur die erste wird mit jeder anderen verglichen", Overlap: "{column} hat wenige Zeilen, in denen sich die Gruppen vergleichen lassen",
	},
})

func fill(text string, namesAndValues ...string) string {
	return usertext.Fill(text, namesAndValues...)
}

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
	var all []string
	for _, w := range words {
		all = append(all, quoted(w))
	}
	return strings.Join(all, ", ")
}

// decimal returns a number in the form of Go as the language writes it.
func (t *texts) decimal(number string) string { return strings.Replace(number, ".", t.Decimal, 1) }
