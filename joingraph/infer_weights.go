package joingraph

// weights were fitted by TestWeights on the Spider schemas. The comments say how many
// of the candidates with a feature were right.
var weights = vector{
	1.19,  // same key name: 1059 of 1153
	2.00,  // named after the table: 97 of 100
	0.50,  // role and table: 11 of 14
	0.50,  // named like the table: 46 of 54
	-1.64, // role and table, no key word: 8 of 18
	1.41,  // ends with the key's name: 44 of 45
	-0.84, // abbreviates the table: 6 of 14
	1.81,  // end of the table's name: 14 of 14
	-2.04, // beginning of the table's name: 2 of 20
	1.18,  // table and role: 10 of 10
	0.76,  // date of a calendar: 5 of 5
	-0.78, // role of a person: 12 of 18
	1.10,  // parent row: 0 of 0
	-3.68, // both are plain keys: 12 of 506
	1.74,  // same name, no table of that name: 32 of 39
	0.00,  // names say nothing: 0 of 0
	1.53,  // declared key: 683 of 987
	0.00,  // guessed key: 25 of 27
	0.32,  // key named after its table: 1217 of 1841
	-0.06, // key not named after its table: 109 of 130
	0.00,  // and has no key word: 52 of 61
	-1.85, // another column names it in full: 0 of 47
	0.00,  // key named after something else: 25 of 29
	0.00,  // another table fits better: 17 of 33
	-0.47, // other tables fit as well: 48 of 519
	-0.49, // key of its own table: 155 of 414
	0.00,  // named after its own table: 369 of 390
	-0.98, // name says nothing: 55 of 70
	-0.36, // key word of ordinary columns: 109 of 126
	-0.53, // very short abbreviation: 6 of 12
	0.00,  // key word not separated: 90 of 95
	-1.41, // different key words: 0 of 3
}
