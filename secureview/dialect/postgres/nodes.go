package postgres

// The kinds of nodes that the reader reads: their field numbers in message Node of
// the protobuf definition of libpg_query 17.
const (
	kindRangeVar       = 2
	kindGroupingFunc   = 8
	kindNamedArg       = 14
	kindBoolExpr       = 19
	kindSubLink        = 20
	kindCase           = 30
	kindRow            = 34
	kindCoalesce       = 36
	kindMinMax         = 37
	kindValueFunction  = 38
	kindXML            = 39
	kindNullTest       = 50
	kindBooleanTest    = 51
	kindDefault        = 55
	kindJoin           = 61
	kindColumnRef      = 66
	kindParam          = 67
	kindExpr           = 68
	kindTypeCast       = 69
	kindCollate        = 70
	kindFuncCall       = 72
	kindStar           = 73
	kindIndices        = 74
	kindIndirection    = 75
	kindArray          = 76
	kindRangeSubselect = 81
	kindRangeFunction  = 82
	kindRangeTableFunc = 83
	kindTableSample    = 85
	kindGroupingSet    = 104
	kindJSONTable      = 119
	kindInsert         = 132
	kindDelete         = 133
	kindUpdate         = 134
	kindMerge          = 135
	kindSelect         = 136
	kindString         = 263
	kindList           = 265
	kindConst          = 268
)

// The fields of a SelectStmt.
const (
	selectDistinct      = 1
	selectInto          = 2
	selectTargets       = 3
	selectFrom          = 4
	selectWhere         = 5
	selectGroup         = 6
	selectGroupDistinct = 7
	selectHaving        = 8
	selectWindows       = 9
	selectValues        = 10
	selectSort          = 11
	selectOffset        = 12
	selectLimit         = 13
	selectLimitOption   = 14
	selectLocking       = 15
	selectWith          = 16
	selectOp            = 17
	selectAll           = 18
	selectLeft          = 19
	selectRight         = 20
)

// The kinds of an A_Expr, the node of most operators.
const (
	exprOp            = 1
	exprOpAny         = 2
	exprOpAll         = 3
	exprDistinct      = 4
	exprNotDistinct   = 5
	exprNullIf        = 6
	exprIn            = 7
	exprLike          = 8
	exprILike         = 9
	exprSimilar       = 10
	exprBetween       = 11
	exprNotBetween    = 12
	exprBetweenSym    = 13
	exprNotBetweenSym = 14
)

// The kinds of a SubLink, a query used as a value.
const (
	linkExists = 1
	linkAll    = 2
	linkAny    = 3
	linkValue  = 5
	linkArray  = 7
)
