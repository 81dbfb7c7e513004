using Jackdaw.Documents;
using Jackdaw.Etl.Configuration;

namespace Jackdaw.Etl.Messages;

/// <summary>Ids and source of a transform's events: the same at every attempt and after every restart.</summary>
internal sealed class EventNaming
{
    private readonly string _transform;
    private readonly bool _isFirst;

    public EventNaming(EtlTaskConfiguration task, TransformConfiguration transform, Database database, string? publicUrl)
    {
        _transform = transform.Name;
        DatabaseId = database.IdText;
        _isFirst = ReferenceEquals(task.Transforms[0], transform);
        string name = Uri.EscapeDataString(task.Name);
        Source = publicUrl is { } url
            ? $"{url}/databases/{Uri.EscapeDataString(database.Name)}/{name}"
            : $"urn:jackdaw:{database.Id:D}:{name}";
    }

    public string Source { get; }

    /// <summary>As change vectors carry it.</summary>
    public string DatabaseId { get; }

    /// <param name="changeVector">Of the change.</param>
    /// <param name="number">From 1, in the order of calls.</param>
    public string Id(string changeVector, int number) => _isFirst && number == 1 ? changeVector : $"{changeVector}#{_transform}/{number}";
}
