#pragma once
#define CURL_STRICTER
#include <curl/curl.h>
