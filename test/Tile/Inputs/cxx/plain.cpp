int main() {}

__attribute__((aic)) void attributed() {} // known to compilers for the device
