package joingraph

// weights were fitted by TestFit on the Spider schemas. The comments say how many of
// the candidates with a feature were right.
var weights = vector{
	1.33,  // same key name: 1071 of 1165
	1.80,  // named after the table: 97 of 113
	0.47,  // role and table: 11 of 31
	0.30,  // named like the table: 46 of 100
	-1.50, // role and table, no key word: 8 of 23
	1.40,  // ends with the key's name: 44 of 47
	-1.55, // abbreviates the table: 8 of 24
	1.82,  // end of the table's name: 14 of 14
	-1.49, // beginning of the table's name: 0 of 10
	2.10,  // table and role: 12 of 16
	0.03,  // date of a calendar: 5 of 6
	-0.77, // role of a person: 12 of 22
	0.52,  // parent row: 4 of 4
	-3.59, // both are plain keys: 12 of 506
	1.13,  // same name, no table of that name: 27 of 38
	0.00,  // names say nothing: 0 of 0
	1.36,  // declared key: 687 of 1044
	0.00,  // guessed key: 26 of 31
	0.31,  // key named after its table: 1232 of 1941
	0.00,  // key not named after its table: 112 of 140
	0.00,  // and has no key word: 53 of 67
	-1.77, // another column names it in full: 0 of 47
	0.00,  // key named after something else: 25 of 35
	0.00,  // another table fits better: 22 of 40
	-0.48, // other tables fit as well: 48 of 519
	-0.38, // key of its own table: 157 of 417
	0.00,  // named after its own table: 371 of 394
	-0.82, // name says nothing: 56 of 76
	-0.53, // key word of ordinary columns: 109 of 155
	0.00,  // very short abbreviation: 6 of 12
	0.00,  // key word not separated: 90 of 95
	-4.62, // same table: 2 of 89
	-1.97, // different key words: 0 of 19
}
