#include "/work/main/test/lit/exec/Inputs/region.h"
#include <utility>
