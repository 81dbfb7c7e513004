using Jackdaw.Functions.Handlers.Histories;
using Jackdaw.Functions.Handlers.Messages;

namespace Jackdaw.Functions.Handlers.Documents;

/// <summary>A change that the source has had.</summary>
/// <param name="Message">What tells of it.</param>
/// <param name="History">Of the source.</param>
/// <param name="MarkerId">Of the document.</param>
internal sealed record DocumentChange(CloudEvent Message, History History, string MarkerId);
