import Gateway

GatewayMain.main()
