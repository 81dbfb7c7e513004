using Jackdaw.Functions.CustomHandler.Configuration;
using Jackdaw.Functions.CustomHandler.Hosting;
using Jackdaw.Functions.CustomHandler.Invoking;
using Jackdaw.Functions.CustomHandler.Running;
using Microsoft.Azure.Functions.Worker;

namespace Jackdaw.Functions.Worker;

/// <summary>Orders from each transport. Functions of accounts differ in their names only.</summary>
public static class Orders
{
    private static readonly AppSettings s_settings = AppSettings.Read(Environment.GetEnvironmentVariable);
    private static readonly Function s_orders = FunctionSet.Open(s_settings).First(one => one.Name == "OrdersFromQueue");
    private static readonly Invoker s_invoker = Invoker.Open(s_settings, new StopSignal(), new AppLog(Console.Out, TimeProvider.System));

    /// <summary>From an Azure queue.</summary>
    [Function("OrdersFromQueue")]
    [QueueOutput("%DeadLetterQueue%", Connection = "Queues")]
    public static Task<string[]> FromQueue([QueueTrigger("%OrdersQueue%", Connection = "Queues")] string message, CancellationToken stop) =>
        HandleAsync([message], stop);

    /// <summary>From RabbitMQ.</summary>
    [Function("OrdersFromRabbitMq")]
    [QueueOutput("%DeadLetterQueue%", Connection = "Queues")]
    public static Task<string[]> FromRabbitMq(
        [RabbitMQTrigger("%OrdersQueue%", ConnectionStringSetting = "RabbitMq")] string message,
        CancellationToken stop
    ) => HandleAsync([message], stop);

    /// <summary>From Kafka, in batches that are tried again without end.</summary>
    [Function("OrdersFromKafka")]
    [FixedDelayRetry(-1, "00:00:05")]
    [QueueOutput("%DeadLetterQueue%", Connection = "Queues")]
    public static Task<string[]> FromKafka(
        [KafkaTrigger("%Kafka%", "%OrdersQueue%", ConsumerGroup = "jackdaw-functions-orders", IsBatched = true)] string[] messages,
        CancellationToken stop
    ) => HandleAsync(messages, stop);

    /// <summary>Returns the dead letters, which the host puts into their queue.</summary>
    private static async Task<string[]> HandleAsync(string[] messages, CancellationToken stop) =>
        [.. (await s_invoker.HandleAsync(s_orders, [.. messages.Select(MessageBodies.Of)], stop)).Messages];
}
