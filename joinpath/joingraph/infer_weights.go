package joingraph

// weights were fitted by TestWeights on the Spider schemas. The comments say how many
// of the candidates with a feature were right.
var weights = vector{
	0.78,  // same key name: 1042 of 1136
	1.30,  // named after the table: 132 of 136
	0.31,  // role and table: 18 of 20
	-0.16, // named like the table: 47 of 56
	-1.86, // role and table, no key word: 9 of 23
	0.96,  // ends with the key's name: 40 of 41
	-0.80, // abbreviates the table: 6 of 12
	1.21,  // end of the table's name: 14 of 14
	0.93,  // table and role: 10 of 10
	0.69,  // date of a calendar: 5 of 5
	-1.03, // role of a person: 12 of 18
	1.10,  // parent row: 0 of 0
	-4.94, // both are plain keys: 12 of 506
	1.71,  // same name, no table of that name: 30 of 37
	0.00,  // names say nothing: 0 of 0
	1.29,  // declared key: 655 of 949
	0.92,  // key named after its table: 1296 of 1911
	-1.58, // another column names it in full: 0 of 41
	-0.35, // other tables of people: 0 of 0
	-3.50, // named like a count: 0 of 0
	-0.56, // key of its own table: 135 of 386
	-0.30, // key word of ordinary columns: 110 of 127
	-0.80, // very short abbreviation: 6 of 12
	-1.44, // different key words: 0 of 2
}
