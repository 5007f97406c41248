package joingraph

// weights were fitted by TestWeights on the Spider schemas. The comments say how many
// of the candidates with a feature were right.
var weights = vector{
	1.14,  // same key name: 1059 of 1153
	1.97,  // named after the table: 97 of 100
	0.48,  // role and table: 11 of 14
	0.64,  // named like the table: 46 of 54
	-1.66, // role and table, no key word: 8 of 18
	1.44,  // ends with the key's name: 44 of 45
	-0.89, // abbreviates the table: 6 of 14
	1.79,  // end of the table's name: 14 of 14
	-1.96, // beginning of the table's name: 2 of 20
	1.16,  // table and role: 10 of 10
	0.75,  // date of a calendar: 5 of 5
	-0.80, // role of a person: 12 of 18
	1.10,  // parent row: 0 of 0
	-3.97, // both are plain keys: 12 of 506
	1.73,  // same name, no table of that name: 32 of 39
	0.00,  // names say nothing: 0 of 0
	1.50,  // declared key: 683 of 987
	0.38,  // key named after its table: 1217 of 1841
	-1.88, // another column names it in full: 0 of 47
	-0.33, // other tables fit as well or better: 65 of 552
	-0.48, // key of its own table: 155 of 414
	-0.97, // name says nothing: 55 of 70
	-0.36, // key word of ordinary columns: 109 of 126
	-0.57, // very short abbreviation: 6 of 12
	-1.41, // different key words: 0 of 3
}
