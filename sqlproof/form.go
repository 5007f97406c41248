package sqlproof

import (
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/sqlproof/proof"
)

// The form of what was found out, which package proof documents.
type (
	Report    = proof.Report
	Join      = proof.Join
	Aggregate = proof.Aggregate
	Finding   = proof.Finding
	Severity  = proof.Severity
	Truth     = proof.Truth
)

// The values of the form.
const (
	Proved            = dates.Proved
	Contradicted      = dates.Contradicted
	NotChecked        = dates.NotChecked
	Error             = proof.Error
	Question          = proof.Question
	Note              = proof.Note
	JoinUnknown       = proof.JoinUnknown
	JoinPartial       = proof.JoinPartial
	JoinType          = proof.JoinType
	Cartesian         = proof.Cartesian
	FanOut            = proof.FanOut
	Chasm             = proof.Chasm
	CountRows         = proof.CountRows
	BareColumn        = proof.BareColumn
	DistinctNoRepair  = proof.DistinctNoRepair
	UnionDedup        = proof.UnionDedup
	OuterJoinUndone   = proof.OuterJoinUndone
	NotInNull         = proof.NotInNull
	NullCompare       = proof.NullCompare
	InnerJoinOptional = proof.InnerJoinOptional
	IntegerDivision   = proof.IntegerDivision
	AverageOfAverages = proof.AverageOfAverages
	DateBoundary      = proof.DateBoundary
	TypeMismatch      = proof.TypeMismatch
	LimitWithoutOrder = proof.LimitWithoutOrder
	TextOrder         = proof.TextOrder
	Unknown           = proof.Unknown
	No                = proof.No
	Yes               = proof.Yes
)
