package joingraph

// weights were fitted by TestWeights on the Spider schemas. The comments say how many
// of the candidates with a feature were right.
var weights = vector{
	1.14,  // same key name: 1059 of 1153
	1.98,  // named after the table: 97 of 100
	0.50,  // role and table: 11 of 13
	0.64,  // named like the table: 46 of 54
	-1.67, // role and table, no key word: 8 of 18
	1.44,  // ends with the key's name: 44 of 45
	-0.71, // abbreviates the table: 6 of 12
	1.80,  // end of the table's name: 14 of 14
	-1.70, // beginning of the table's name: 3 of 17
	1.16,  // table and role: 10 of 10
	0.75,  // date of a calendar: 5 of 5
	-0.80, // role of a person: 12 of 18
	1.10,  // parent row: 0 of 0
	-3.96, // both are plain keys: 12 of 506
	1.78,  // same name, no table of that name: 34 of 41
	0.00,  // names say nothing: 0 of 0
	1.51,  // declared key: 683 of 984
	0.38,  // key named after its table: 1217 of 1838
	-1.74, // another column names it in full: 0 of 45
	-0.35, // other tables fit as well or better: 63 of 546
	-0.45, // key of its own table: 156 of 412
	-1.00, // name says nothing: 55 of 70
	-0.37, // key word of ordinary columns: 109 of 126
	-0.71, // very short abbreviation: 6 of 12
	-1.37, // different key words: 0 of 2
}
