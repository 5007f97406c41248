package sqlproof

import (
	"fmt"
	"strings"

	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/sqlproof/proof"
)

// measures are units by the end of the names of columns, as in weight_kg, with what they
// measure.
var measures = func() map[string]string {
	out := map[string]string{}
	for what, units := range map[string]string{
		"weight": "g kg lb lbs oz", "length": "mm cm m km ft mi miles inches", "time": "ms seconds minutes hours days",
		"money": "eur usd gbp chf jpy cny cents", "temperature": "celsius fahrenheit kelvin", "volume": "ml l liters litres gallons",
	} {
		for unit := range strings.FieldsSeq(units) {
			out[unit] = what
		}
	}
	return out
}()

// keepsUnit are functions whose values have the unit of their argument.
var keepsUnit = map[string]bool{"sum": true, "total": true, "avg": true, "min": true, "max": true, "abs": true, "round": true}

// unitOf returns the unit that the name of a column ends with, and what it measures. A sum of
// the column has it too.
func unitOf(e sqlast.Expr) (unit, what string) {
	if call, ok := e.(*sqlast.Call); ok && len(call.Args) == 1 && keepsUnit[call.Name] {
		e = call.Args[0]
	}
	c, ok := e.(*sqlast.Column)
	if !ok {
		return "", ""
	}
	if i := strings.LastIndexByte(c.Name, '_'); i > 0 {
		unit = strings.ToLower(c.Name[i+1:])
	}
	return unit, measures[unit]
}

// units says that columns whose names have different units are added or compared.
func (s *scope) units(e sqlast.Expr) {
	sqlast.Walk(e, func(n sqlast.Node) bool {
		if _, query := n.(*sqlast.Query); query {
			return false
		}
		b, ok := n.(*sqlast.Binary)
		if !ok || b.Op != sqlast.Add && b.Op != sqlast.Sub && (b.Op < sqlast.Eq || b.Op > sqlast.Ge) {
			return true
		}
		x, what := unitOf(b.X)
		y, same := unitOf(b.Y)
		if what != "" && what == same && x != y {
			s.say(proof.Finding{
				Code: proof.UnitMix, Severity: proof.Question, At: int(b.X.At()), Subject: describe(b.X) + ", " + describe(b.Y),
				Message: fmt.Sprintf("%s and %s have different units by their names", describe(b.X), describe(b.Y)),
				Fix:     "convert one of them first",
			})
		}
		return true
	})
}
