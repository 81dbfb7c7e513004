using Jackdaw.Functions.Handlers.Consuming;

namespace Jackdaw.Functions.CustomHandler.Invoking;

/// <summary>A function: its name is its folder and the path that the host calls.</summary>
/// <param name="Name">As the folder of function.json.</param>
/// <param name="Binding">The trigger's name in function.json.</param>
/// <param name="IsBatch">The trigger hands over batches.</param>
/// <param name="Queue">The Azure queue of the same consumer, to which its dead letters are sent again.</param>
/// <param name="Consumer">What is done with a message.</param>
internal sealed record Function(string Name, string Binding, bool IsBatch, string Queue, IMessageConsumer Consumer);
