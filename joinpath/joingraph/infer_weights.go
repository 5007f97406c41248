package joingraph

// weights were fitted by TestWeights on the Spider schemas. The comments say how many
// of the candidates with a feature were right.
var weights = vector{
	0.85,  // same key name: 1042 of 1136
	1.53,  // named after the table: 132 of 136
	0.38,  // role and table: 18 of 20
	-0.07, // named like the table: 47 of 56
	-1.81, // role and table, no key word: 9 of 23
	1.02,  // ends with the key's name: 40 of 41
	-0.77, // abbreviates the table: 6 of 12
	1.42,  // end of the table's name: 14 of 14
	-1.98, // beginning of the table's name: 3 of 15
	0.95,  // table and role: 10 of 10
	0.72,  // date of a calendar: 5 of 5
	-0.98, // role of a person: 12 of 18
	1.10,  // parent row: 0 of 0
	-4.81, // both are plain keys: 12 of 506
	1.67,  // same name, no table of that name: 28 of 35
	0.00,  // names say nothing: 0 of 0
	1.26,  // declared key: 656 of 957
	0.88,  // key named after its table: 1299 of 1925
	-1.85, // another column names it in full: 0 of 45
	-0.35, // other tables of people: 0 of 0
	-3.50, // named like a count: 0 of 0
	-0.63, // key of its own table: 135 of 391
	-0.36, // name says nothing: 86 of 98
	-0.30, // key word of ordinary columns: 110 of 127
	-0.77, // very short abbreviation: 6 of 12
	-1.44, // different key words: 0 of 2
}
