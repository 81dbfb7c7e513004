namespace Jackdaw.Etl.Sinks;

/// <summary>
/// A sink that keeps the task's positions itself, together with the messages: what it keeps is the truth, and the database's copy
/// a hint. Its deliveries are all or
/// nothing: messages become visible together with <see cref="Delivery.Position"/>, or not at all, and then
/// <see cref="Delivery.ConfirmRest"/> says so. After any
/// fault whose outcome is unknown it is opened again, and what it then gives back tells the outcome.
/// </summary>
internal interface IPositionKeeper : ISink
{
    /// <summary>
    /// In place of <see cref="ISink.OpenAsync"/>: connects, settles what a former opening left unsettled, keeps every other owner
    /// from writing, and reads. Errors
    /// likewise; and <see cref="SinkFault.Fenced"/> when somebody else has taken the task over since this server had it.
    /// </summary>
    /// <param name="takeOver">A person wants this server to have the task, whoever had it.</param>
    /// <param name="cancellation">Gives up.</param>
    /// <returns>Of every transform that it knows, also of those that are no longer in the task.</returns>
    Task<IReadOnlyList<SinkPosition>> OpenAndReadAsync(bool takeOver, CancellationToken cancellation);

    /// <summary>Keeps a position without messages. Errors as <see cref="ISink.DeliverAsync"/>; whether it is kept is then unknown
    /// until the sink is opened again.</summary>
    Task StorePositionAsync(SinkPosition position, CancellationToken cancellation);
}
