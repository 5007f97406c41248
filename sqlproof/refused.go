package sqlproof

import (
	"strings"

	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/sqlproof/proof"
)

// Refused returns the report of a statement that a guard refused: a finding of severity
// [proof.Error] for each problem.
func Refused(sql string, problems []refusal.Problem) proof.Report {
	var r proof.Report
	for _, p := range problems {
		f := proof.Finding{Code: p.Code, Severity: proof.Error, Message: p.Message, Subject: p.Name, At: offset(sql, p.Line, p.Column)}
		if len(p.Candidates) > 0 {
			f.Fix = "did you mean " + strings.Join(p.Candidates, ", or ")
		}
		r.Findings = append(r.Findings, f)
	}
	r.Fill()
	return r
}

// offset returns the place of a line and a column, both from 1, or 0 if they are not known.
func offset(text string, line, column int) int {
	at := 0
	for l := range strings.Lines(text) {
		if line--; line > 0 {
			at += len(l)
			continue
		}
		for i := range l {
			if column--; column == 0 {
				return at + i
			}
		}
		break
	}
	return 0
}
