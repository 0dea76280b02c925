package thread

const features = 27

// bias is added to every score: two stories of one thread share less than the weights expect,
// and cluster looks at the mean.
const bias = 0.7

// weights are those of the features, for two English stories, for two Japanese ones and for one of
// each. They were fitted by logistic regression on half of the gold threads.
var weights = [features][3]float64{
	{-7.21, -6.94, -2.35}, // always
	{-0.59, -1.27, 0.06},  // words
	{0.16, -0.49, 0.00},   // names
	{-0.95, -1.26, 0.16},  // words of the titles
	{3.29, 3.14, 0.12},    // words of titles and summaries
	{1.88, 2.63, 0.21},    // the more of one title in the other story
	{1.82, 1.29, 0.13},    // the less
	{1.39, 0.35, 1.84},    // what hardly any other story has
	{3.83, 4.06, 0.61},    // shared words
	{-0.10, 2.09, 0.00},   // names
	{-1.39, -2.28, 0.00},  // phrases
	{3.39, 1.63, 3.17},    // numbers
	{2.48, 0.58, 0.53},    // days
	{1.74, 2.21, 0.00},    // quotations
	{1.84, 1.70, 0.00},    // bills
	{-2.63, -1.33, 0.00},  // other bills
	{-0.26, -0.94, -0.53}, // days between them
	{-1.01, -0.49, -0.24}, // more than four months
	{-0.51, -1.03, 0.00},  // one source on one day
	{-0.37, -0.15, 0.10},  // one desk
	{0.00, 0.00, 1.92},    // names as they sound
	{-0.49, -0.59, -1.29}, // other numbers
	{-0.18, 0.42, -0.65},  // other days
	{0.06, 0.05, 0.00},    // another count: 第3局, 第4局
	{-1.48, 0.17, -0.07},  // another result: 2-1, 1-1
	{0.03, 0.73, 0.54},    // more than six weeks
	{0.65, 1.90, 0.00},    // the rarest name
}
