using Jackdaw.Functions.CustomHandler.Hosting;
using Jackdaw.LargeOrders;

// The functions of functions/CustomHandler, and one more.
return await FunctionAppProcess.RunAsync(own => own.Add("LargeOrdersFromQueue", queue: "large-orders", new LargeOrders(version: 1)));
